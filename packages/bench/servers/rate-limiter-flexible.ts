// What others run: one point of rate-limiter-flexible's own PostgreSQL limiter, on an unlogged table.
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { answerCalls } from './parts/calls.ts';
import { LIMIT_PER_MINUTE } from './parts/limit.ts';
import { openOrderedPool } from './parts/child-server.ts';

const MINUTE_S = 60;

const limiter = new RateLimiterPostgres({
  storeClient: await openOrderedPool('-c plan_cache_mode=force_generic_plan'),
  schemaName: 'bench',
  tableName: 'points',
  tableCreated: true,
  points: LIMIT_PER_MINUTE,
  duration: MINUTE_S,
});
answerCalls(async (key) => {
  const { consumedPoints, msBeforeNext } = await limiter.consume(`api_reads:${key}`);
  return { n: consumedPoints, resetS: Math.ceil(msBeforeNext / 1_000) };
});
