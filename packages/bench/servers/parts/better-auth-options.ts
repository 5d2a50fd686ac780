import { apiKey } from '@better-auth/api-key';
import type { BetterAuthOptions } from 'better-auth';
import type pg from 'pg';
import { LIMIT_PER_MINUTE } from './limit.ts';

const MINUTE_MS = 60_000;

export const BETTER_AUTH_SCHEMA = 'better_auth';

/** Sets the search path of a connection: better-auth's tables have names that others use too. */
export const BETTER_AUTH_PATH = `-c search_path=${BETTER_AUTH_SCHEMA}`;

export function createAuthOptions(database: pg.Pool) {
  return {
    database,
    baseURL: 'http://127.0.0.1',
    secret: 'of no use here, but long enough for it',
    telemetry: { enabled: false },
    plugins: [
      apiKey({
        rateLimit: { enabled: true, timeWindow: MINUTE_MS, maxRequests: LIMIT_PER_MINUTE },
      }),
    ],
  } satisfies BetterAuthOptions;
}
