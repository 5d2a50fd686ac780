import { hash } from 'node:crypto';
import type pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { rows, type EntityManager } from '../../platform/database/database.ts';

type Options = { name: string; most: number; minutes: number };

/** A unit of work, and the pool that counts beside it. */
export type ThrottledWork = { em: EntityManager; pool: pg.Pool };

/**
 * At most so many events of a key in a period, which begins with the first. One statement counts an
 * event, outside of any transaction: many at once cannot slip through, and a rollback loses no count.
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
  const isOver = `expire < (extract(epoch from gatehouse_now() - interval '1 hour') * 1000)::bigint`;
  const removed = await rows(
    em,
    `delete from throttle where key in (select key from throttle where ${isOver} limit 5000)
     and ${isOver} returning 1`,
  );
  return removed.length;
}
