// Our limiter and nothing else, with connections as the product's.
import { HOT_PATHS } from '../../../platform/database/database.ts';
import { countRequest } from '../../../domain/limits/rate-window.query.ts';
import { serveAnswers } from './bare.ts';
import { answerCalls } from './calls.ts';
import { openOrderedPool } from './order.ts';
import { LIMIT_PER_MINUTE } from './limit.ts';

const pool = await openOrderedPool(HOT_PATHS);
const count = async (key: string) => {
  const counted = await countRequest(pool, `api_reads:${key}`);
  return counted.n <= LIMIT_PER_MINUTE ? counted : null;
};
answerCalls(count);
await serveAnswers(count);
