import type { Context } from 'koa';
import { countRequest, type Count } from '../../domain/limits/rate-window.query.ts';
import { Failure } from '../errors.ts';
import { LIMITS, NETWORK_SHARE, type LimitName } from '../limits.ts';
import type { Services } from '../services.ts';
import { callerAddress, callerNetwork } from './caller-address.ts';
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
  refuseOverLimit(ctx, { limit, count });
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
  if (count.n > most) refuseOverLimit(ctx, { limit: most, count });
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
export function refuseOverLimit(
  ctx: Context,
  { limit, count }: { limit: number; count: Count },
): void {
  const { n, resetS } = count;
  Object.assign(headersOf(ctx), {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - n)),
    'ratelimit-reset': String(resetS),
  });
  if (n <= limit) return;
  throw new Failure('rate_limited', { headers: { 'retry-after': String(Math.max(1, resetS)) } });
}
