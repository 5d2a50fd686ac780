import type { Context } from 'koa';
import ipaddr from 'ipaddr.js';
import { countRequest, type Count } from '../../domain/limits/limits.store.ts';
import { Failure } from '../errors.ts';
import { LIMITS, type LimitName } from '../limits.ts';
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
  requireRoom(ctx, { limit: services.limits[name], count });
}

export function countUnknown(ctx: Context, services: Services): Promise<void> {
  return limitRequest(ctx, services, { name: 'unknown_credential', credentialId: null });
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

/** One caller: an IPv4 address, or the network of 64 bits that one IPv6 customer has. */
export function callerAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
