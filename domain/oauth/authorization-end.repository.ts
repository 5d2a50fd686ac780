import { rows, type EntityManager } from '../../platform/database/database.ts';

// Requests before consents, consents before codes and tokens: consent pages and exchanges lock them
// in this order, so none outlives its end. Revoked tokens stay, because they are answered 404.
const ENDINGS = [
  'delete from pending_authorization where person_id = ?',
  'delete from consent where person_id = ?',
  'delete from authorization_code where person_id = ?',
  `update access_token set revoked_at = gatehouse_now() where person_id = ? and revoked_at is null`,
];

/** Ends all authorizations of a person. */
export async function endAuthorizations(em: EntityManager, personId: string): Promise<void> {
  for (const ending of ENDINGS) await rows(em, ending, [personId]);
}
