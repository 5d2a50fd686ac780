import type pg from 'pg';
import {
  toBearer,
  toCount,
  toAuthRequest,
  type Authentication,
} from '../authentication/authentication.query.ts';
import type { Bearer } from '../oauth/tokens/bearer.query.ts';
import { isWellFormedCredential } from '../shared/ids.ts';
import type { UsageKind } from './decide-usage.ts';
import { report } from './record-evidence.query.ts';

/** `limit` in requests a minute. */
type Reporter = { credential: string; window: string; limit: number; kind: UsageKind | null };

/**
 * Authenticates as `authenticateToken` does. A report with a kind, of a client with a product and
 * within the limit, is committed when this returns.
 */
export async function authenticateReport(
  pool: pg.Pool,
  { credential, window, limit, kind }: Reporter,
): Promise<Omit<Authentication<Bearer>, 'access'> | 'deleted' | null> {
  if (!isWellFormedCredential(credential, 'gat_')) return null;
  const request = toAuthRequest({ credential, window, accessOf: false });
  const row = await report(pool, { ...request, limit, kind });
  if (!row) return null;
  return row.isGone ? 'deleted' : { principal: toBearer(row), count: toCount(row) };
}
