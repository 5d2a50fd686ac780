import type pg from 'pg';
import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { countRequest, type Count } from './rate-window.query.ts';

const MINUTE_S = 60;

/** The state of a window for a limit. Hot statements, which count in themselves, are judged by it too. */
export function toLimiterRes({ n, resetS }: Count, limit: number): RateLimiterRes {
  return new RateLimiterRes(Math.max(0, limit - n), resetS * 1_000, n, n === 1);
}

/**
 * Allows a number of requests of a key in a whole minute of the database's clock, over all
 * processes.
 */
export class RequestLimiter extends RateLimiterStoreAbstract {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool, { name, limit }: { name: string; limit: number }) {
    super({ storeClient: pool, keyPrefix: name, points: limit, duration: MINUTE_S });
    this.#pool = pool;
  }

  /** Requests that come together share a statement, which adds one for each. */
  _upsert(bucket: string, points: number): Promise<Count> {
    if (points !== 1) throw new Error('A request counts one.');
    return countRequest(this.#pool, bucket);
  }

  _getRateLimiterRes(_bucket: string, _points: number, count: Count): RateLimiterRes {
    return toLimiterRes(count, this.points);
  }

  // A window only counts up and ends by itself.
  override block = refuse;
  override set = refuse;
  override penalty = refuse;
  override reward = refuse;
}

function refuse(): never {
  throw new Error('A request window cannot be changed.');
}
