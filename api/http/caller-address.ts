import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import ipaddr from 'ipaddr.js';
import type { Caller } from '../../platform/fair-queue.ts';
import { HttpError } from './errors.ts';

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

/**
 * A customer may have a whole network of 56 or 48 bits: it counts as one too, with so many times the
 * limit of an address.
 */
export const WIDER_NETWORKS = [
  { bits: 56, times: 4 },
  { bits: 48, times: 16 },
] as const;

/** The networks around an IPv6 address, in the order of `WIDER_NETWORKS`; none for IPv4. */
export function callerNetworks(ip: string): string[] {
  return WIDER_NETWORKS.map(({ bits }) => networkOf(ip, bits)).filter(
    (network) => network !== null,
  );
}

/**
 * Names the caller whose turn it is in a queue: an IPv6 caller may have a network of 48 bits to
 * itself.
 */
export function callerTurn(ip: string): string {
  return networkOf(ip, 48) ?? callerAddress(ip);
}

/**
 * Whose turn a password takes. A known browser takes the turns of its account, or one account
 * at many addresses would take those of the others; all other callers take those of their network.
 */
export function decideTurn({ ip, knownAs }: { ip: string; knownAs: string | null }): Caller {
  const network = callerTurn(ip);
  return knownAs === null
    ? { caller: network, isKnown: false }
    : { caller: knownAs, network, isKnown: true };
}

function networkOf(ip: string, bits: 48 | 56 | 64): string | null {
  const address = ipaddr.isValid(ip) ? ipaddr.process(ip) : null;
  if (!(address instanceof ipaddr.IPv6)) return null;
  const kept = address.parts.slice(0, Math.ceil(bits / 16));
  if (bits === 56) kept[3]! &= 0xff00;
  return `${kept.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
