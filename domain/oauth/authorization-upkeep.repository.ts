import { rows, type EntityManager } from '../../platform/database/database.ts';

// A used code is kept as long as its token lives: a replay must still end that token.
const REMOVALS = [
  `delete from pending_authorization where token_hash in (
     select token_hash from pending_authorization
     where created_at <= gatehouse_now() - interval '1 hour' limit 5000) returning 1`,
  `delete from authorization_code where code_hash in (
     select code_hash from authorization_code
     where created_at <= gatehouse_now() - interval '30 days'
       or (consumed_at is null and created_at between
         gatehouse_now() - interval '1 day' and gatehouse_now() - interval '1 hour')
     limit 5000) returning 1`,
  `delete from access_token where token_hash in (
     select token_hash from access_token
     where expires_at <= gatehouse_now() - interval '30 days' limit 5000) returning 1`,
];

/** Removes one batch of requests, codes and tokens without an effect. */
export async function removeDeadAuthorizations(em: EntityManager): Promise<number> {
  let removed = 0;
  for (const removal of REMOVALS) removed += (await rows(em, removal)).length;
  return removed;
}
