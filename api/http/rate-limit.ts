// Where a request is refused with 429.
import { hash, randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { consume, secondsLeft } from '../../domain/limits/throttle.repository.ts';
import type { Count } from '../../domain/limits/rate-window.query.ts';
import { toLimiterRes } from '../../domain/limits/rate-window.query.ts';
import { HttpError } from './errors.ts';
import { LIMITS, type LimitName, type ViewLimit } from './limits.ts';
import type { Services } from '../services.ts';
import { callerAddress, callerNetworks } from './caller-address.ts';

type Limited = { limit: LimitName; isServedOverLimit?: boolean };

/** Counts the request of a route with a limit: by the limit's scope, against the signed-in person or the caller's address. */
export function rateLimit(
  { limit: name, isServedOverLimit = false }: Limited,
  services: Services,
): Middleware {
  return async (ctx, next) => {
    const { currentUser } = ctx.state as { currentUser?: CurrentUser | null };
    const credentialId = currentUser ? `person:${currentUser.personId}` : null;
    try {
      await limitRequest(ctx, services, { name, credentialId });
    } catch (error) {
      const isOver = error instanceof HttpError && error.code === 'rate_limited';
      if (!isOver || !isServedOverLimit) throw error;
      ctx.state['overLimit'] = error;
    }
    return next();
  };
}

/** Limits the pages and pictures that have no limit of their own. */
export function limitViews(name: ViewLimit, services: Services): Middleware {
  return async (ctx, next) => {
    const { period, isOver } = await countView(ctx as Context, services, name);
    if (isOver) throw tooMany(secondsLeft(period));
    return next();
  };
}

export async function countView({ ip }: Context, { limiters }: Services, name: ViewLimit) {
  const limiter = limiters.views[name];
  const period = await consume(limiter, viewCounterOf(callerAddress(ip)));
  return { period, isOver: period.consumedPoints > limiter.points };
}

type Counted = { name: LimitName; credentialId: string | null };

/** Counts the request in the window of its credential or address; too many are refused until the next one. */
export async function limitRequest(
  ctx: Context,
  services: Services,
  { name, credentialId }: Counted,
): Promise<void> {
  const isOwn = LIMITS[name].scope !== 'address' && credentialId !== null;
  const limiter = services.limiters.requests[name];
  const window = await consume(limiter, isOwn ? credentialId : callerAddress(ctx.ip));
  refuseOver(ctx, { limit: limiter.points, window });
  if (!isOwn) await limitNetworks(ctx, services, name);
}

/** Refuses a request of an address within its limit whose wider network is over its own. */
export async function limitNetworks(
  ctx: Context,
  services: Services,
  name: LimitName,
): Promise<void> {
  const over = await findNetworkOver(ctx, services, name);
  if (over) refuseOver(ctx, over);
}

/**
 * Counts the request for the networks around its address, the narrower first. One that is over its
 * limit is not counted in the wider, so that it cannot use up what its neighbours have.
 */
export async function findNetworkOver({ ip }: Context, { limiters }: Services, name: LimitName) {
  for (const [index, network] of callerNetworks(ip).entries()) {
    const limiter = limiters.networks[name][index]!;
    const window = await consume(limiter, network);
    if (window.consumedPoints > limiter.points) return { limit: limiter.points, window };
  }
  return null;
}

export function countUnknown(ctx: Context, services: Services): Promise<void> {
  return limitRequest(ctx, services, { name: 'unknown_credential', credentialId: null });
}

/** Refuses a request that a hot statement has counted. */
export function refuseOverLimit(
  ctx: Context,
  { limit, count }: { limit: number; count: Count },
): void {
  refuseOver(ctx, { limit, window: toLimiterRes(count, limit) });
}

/** Sends the state of the window, and refuses a request over the limit. */
function refuseOver(
  ctx: Context,
  { limit, window }: { limit: number; window: RateLimiterRes },
): void {
  ctx.set({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(window.remainingPoints),
    'ratelimit-reset': String(secondsLeft(window)),
  });
  if (window.consumedPoints > limit) throw tooMany(secondsLeft(window));
}

/** 429, with the seconds after which the next request may come. */
export function tooMany(
  seconds: number,
  message = `Too many requests. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
): HttpError {
  return new HttpError('rate_limited', { message, headers: { 'retry-after': String(seconds) } });
}

const SALT = randomUUID();

/**
 * Addresses share 65,536 counters, so that a process needs no more memory however many addresses come.
 * The salt keeps a caller from choosing whose counter it shares.
 */
function viewCounterOf(address: string): string {
  return hash('sha256', SALT + address, 'hex').slice(0, 4);
}
