import { hash } from 'node:crypto';
import type pg from 'pg';
import {
  RateLimiterPostgres,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { now, type EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { HOUR_MS } from '../shared/instant.ts';

type Options = { name: string; most: number; minutes: number };

/** A unit of work, and the pool that counts beside it. */
export type ThrottledWork = { em: EntityManager; pool: pg.Pool };

/**
 * Allows at most `most` events of a key in a period, which begins with the first. One statement
 * counts an event, outside of any transaction: many at once cannot slip through, and a rollback
 * loses no count.
 */
export class Throttle extends RateLimiterPostgres {
  constructor(pool: pg.Pool, { name, most, minutes }: Options) {
    super({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'throttle',
      tableCreated: true,
      clearExpiredByTimeout: false, // the upkeep removes them
      keyPrefix: name,
      points: most,
      duration: minutes * 60,
    });
  }

  /** The table keeps no address, token or id, but their hashes. */
  override getKey(key: string | number): string {
    return `${this.keyPrefix}:${hash('sha256', String(key).trim().toLowerCase(), 'base64url')}`;
  }

  /** Takes back one that was counted, unless its period has ended or its count was cleared meanwhile. */
  async takeBack(key: string): Promise<void> {
    const { consumedPoints } = await this.reward(key);
    if (consumedPoints < 0) await this.penalty(key);
  }
}

/**
 * Removes ended rows; bounded. Says how many. They end by the clocks of the API's processes, which may
 * differ from the database's: an hour is left for that.
 */
export async function removeEndedThrottles(em: EntityManager): Promise<number> {
  const ended = BigInt((await now(em)).getTime() - HOUR_MS);
  const removed = await kysely(em)
    .deleteFrom('throttle')
    .where('key', 'in', ({ selectFrom }) =>
      selectFrom('throttle').select('key').where('expire', '<', ended).limit(5_000),
    )
    .where('expire', '<', ended)
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}

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
