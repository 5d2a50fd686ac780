import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import ipaddr from 'ipaddr.js';
import { HttpError } from '../errors.ts';

// Some proxies write the port as well.
const WITH_PORT = /^(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/i;

/**
 * A trusted proxy appends the caller's address last; callers can forge the earlier ones. A header
 * without an address is refused, because such callers would share one limit.
 */
export function forwardedAddress({ isProxyTrusted }: { isProxyTrusted: boolean }): Middleware {
  return (ctx, next) => {
    const given = isProxyTrusted ? ctx.get('x-forwarded-for') : '';
    if (given === '') return next();
    const last = given.slice(given.lastIndexOf(',') + 1).trim();
    const [, v6, v4] = WITH_PORT.exec(last) ?? [];
    const address = v6 ?? v4 ?? last;
    if (isIP(address) === 0) {
      const message = 'The X-Forwarded-For header does not end with an address.';
      throw new HttpError('invalid_request', { message });
    }
    ctx.request.ip = address;
    return next();
  };
}

/** One caller: an IPv4 address, or the network of 64 bits that one IPv6 customer has. */
export function callerAddress(ip: string): string {
  return networkOf(ip, 64) ?? (ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : 'unknown');
}

/** Whose turn it is in a queue: an IPv6 caller may have a network of 48 bits to itself. */
export function callerTurn(ip: string): string {
  return callerNetwork(ip) ?? callerAddress(ip);
}

/** Null for an IPv4 address. */
export function callerNetwork(ip: string): string | null {
  return networkOf(ip, 48);
}

function networkOf(ip: string, bits: 48 | 64): string | null {
  const address = ipaddr.isValid(ip) ? ipaddr.process(ip) : null;
  if (!(address instanceof ipaddr.IPv6)) return null;
  const parts = address.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${parts.join(':')}::/${bits}`;
}
