import { isIP } from 'node:net';
import type { Context } from 'koa';
import ipaddr from 'ipaddr.js';
import { countRequest, type Count } from '../../domain/limits/limits.repository.ts';
import { Failure } from '../errors.ts';
import { LIMITS, NETWORK_SHARE, type LimitName } from '../limits.ts';
import type { Services } from '../services.ts';
import { headersOf } from './headers.ts';

type Counted = { name: LimitName; credentialId: string | null };

/** Counts the request in the window of its bucket; too many are refused until the next one. */
export async function limitRequest(
  ctx: Context,
  services: Services,
  { name, credentialId }: Counted,
): Promise<void> {
  const isOwn = LIMITS[name].scope !== 'address' && credentialId !== null;
  const who = isOwn ? credentialId : callerAddress(ctx.ip);
  const count = await countRequest(services.database.pool, `${name}:${who}`);
  const limit = services.limits[name];
  requireRoom(ctx, { limit, count });
  const network = 'countsNetwork' in LIMITS[name] ? callerNetwork(ctx.ip) : null;
  if (network !== null) await limitNetwork(ctx, services, { bucket: `${name}:${network}`, limit });
}

/** Whoever has a network of 48 bits could come from 65,536 of the networks that count as one caller. */
async function limitNetwork(
  ctx: Context,
  services: Services,
  { bucket, limit }: { bucket: string; limit: number },
): Promise<void> {
  const count = await countRequest(services.database.pool, bucket);
  const most = limit * NETWORK_SHARE;
  if (count.n > most) requireRoom(ctx, { limit: most, count });
}

export function countUnknown(ctx: Context, services: Services): Promise<void> {
  return limitRequest(ctx, services, { name: 'unknown_credential', credentialId: null });
}

const WINDOW_MS = 60_000;

/** Counts in the process, not in the database: whoever wants too many pages costs no statement. */
export function createPageCounter(): (ip: string) => Count {
  let counts = new Map<string, number>();
  let endsAt = 0;
  return (ip) => {
    const now = performance.now();
    if (now >= endsAt) {
      counts = new Map();
      endsAt = now + WINDOW_MS;
    }
    const who = callerAddress(ip);
    const n = (counts.get(who) ?? 0) + 1;
    counts.set(who, n);
    return { n, resetS: Math.ceil((endsAt - now) / 1_000) };
  };
}

export function countPage({ ip }: Context, { limits, pageViews }: Services): void {
  const { n, resetS } = pageViews(ip);
  if (n <= limits.pages) return;
  throw new Failure('rate_limited', { headers: { 'retry-after': String(resetS) } });
}

/** Tells the caller where the window stands, and refuses what is over its limit. */
export function requireRoom(ctx: Context, { limit, count }: { limit: number; count: Count }): void {
  const { n, resetS } = count;
  Object.assign(headersOf(ctx), {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - n)),
    'ratelimit-reset': String(resetS),
  });
  if (n <= limit) return;
  throw new Failure('rate_limited', { headers: { 'retry-after': String(Math.max(1, resetS)) } });
}

// Some proxies write the port as well.
const WITH_PORT = /^(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/i;

/**
 * The address that the trusted proxy itself wrote: the last, those before it are anyone's. Where that
 * is none nothing is served: callers that nobody can tell apart would use up one another's limits.
 */
export function requireForwardedAddress(ctx: Context): void {
  const given = ctx.get('x-forwarded-for');
  if (given === '') return; // the proxy asks for itself
  const last = given.slice(given.lastIndexOf(',') + 1).trim();
  const [, v6, v4] = WITH_PORT.exec(last) ?? [];
  const address = v6 ?? v4 ?? last;
  if (isIP(address) === 0) {
    const message = 'The X-Forwarded-For header does not end with an address.';
    throw new Failure('invalid_request', { message });
  }
  ctx.request.ip = address;
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
