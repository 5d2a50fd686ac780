import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** Counts one for the key. The state is the same for a key over its limit, which the library throws. */
export async function consume(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (overLimit) {
    if (overLimit instanceof RateLimiterRes) return overLimit;
    throw overLimit;
  }
}

/** Counts one for the key, and says whether the limit allows it. */
export async function isWithinLimit(limiter: RateLimiterAbstract, key: string): Promise<boolean> {
  const { consumedPoints } = await consume(limiter, key);
  return consumedPoints <= limiter.points;
}

/** The wait until the period of a key ends; at least a second. */
export function secondsLeft({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000));
}
