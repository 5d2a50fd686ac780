import { countOf, SECOND } from '../limits/rate-window.query.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';

export type Pending = { returnTo: string | null; clickId: string | null };

const PRE_SESSION_HOURS = 1;
export const LONGEST_RETURN_TO = 4_096;

type NewPreSession = {
  /** Made here unless given. */
  token?: string | undefined;
  pending: Pending;
  bucket: string;
  limit: number;
};

/**
 * Stores where a visitor continues after sign-in; the limit counts by address. Null when the
 * address has reached it.
 */
export async function startPreSession(
  em: EntityManager,
  { token = newCredential('gs_'), pending, bucket, limit }: NewPreSession,
): Promise<string | null> {
  const kept = await rows(
    em,
    `with counted as (${countOf(`select ?::text as bucket, 1 as n, ${SECOND} as second`)})
     insert into pre_session (token_hash, return_to, click_id, expires_at)
     select ?::bytea, ?::text, ?::uuid, gatehouse_now() + ? * interval '1 hour'
     from counted where n <= ? returning 1`,
    [
      bucket,
      hashCredential(token),
      toKeepable(pending.returnTo),
      pending.clickId,
      PRE_SESSION_HOURS,
      limit,
    ],
  );
  return kept.length > 0 ? token : null;
}

/** A part of a longer target would be another target. */
function toKeepable(returnTo: string | null): string | null {
  return returnTo !== null && returnTo.length <= LONGEST_RETURN_TO ? returnTo : null;
}

export async function findPending(em: EntityManager, token: string): Promise<Pending | null> {
  const found = await kysely(em)
    .selectFrom('preSession')
    .select(['returnTo', 'clickId'])
    .where('tokenHash', '=', hashCredential(token))
    .where('expiresAt', '>', NOW)
    .executeTakeFirst();
  return found ?? null;
}

/** Deletes the pending request: it is resumed once. */
export async function endPreSession(em: EntityManager, token: string): Promise<void> {
  await kysely(em)
    .deleteFrom('preSession')
    .where('tokenHash', '=', hashCredential(token))
    .execute();
}
