// Our limiter and nothing else, with connections as the product's.
import { HOT_PATHS } from '../../../platform/database/database.ts';
import { consume, secondsLeft } from '../../../domain/limits/throttle.repository.ts';
import { RequestLimiter } from '../../../domain/limits/rate-window.query.ts';
import { answerCalls } from './parts/calls.ts';
import { openOrderedPool } from './parts/child-server.ts';
import { LIMIT_PER_MINUTE } from './parts/limit.ts';

const pool = await openOrderedPool(HOT_PATHS);
const limiter = new RequestLimiter(pool, { name: 'api_reads', limit: LIMIT_PER_MINUTE });
answerCalls(async (key) => {
  const window = await consume(limiter, key);
  if (window.consumedPoints > LIMIT_PER_MINUTE) return null;
  return { n: window.consumedPoints, resetS: secondsLeft(window) };
});
