import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { erasePerson } from '../account.repository.ts';
import { UNCONFIRMED_DAYS } from './new-person.repository.ts';

// Each one takes several statements.
const BATCH = 100;

/** Others rely on such an account, or money stands behind it: it stays. */
const TIES = [
  'team_member t where t.person_id = p.id',
  'product t where t.owner_person_id = p.id or t.commercial_operator_id = p.id',
  'payout_account t where t.person_id = p.id',
  'access_grant t where t.person_id = p.id',
  'checkout t where t.person_id = p.id',
  'purchase t where t.person_id = p.id',
  'subscription t where t.person_id = p.id',
  'membership t where t.person_id = p.id',
];

/**
 * Deletes one batch of accounts whose address was not confirmed in time, and returns their number.
 * A confirmation at the same moment holds the row, and its account stays.
 */
export async function eraseUnconfirmed(em: EntityManager): Promise<number> {
  const untied = TIES.map((tie) => `not exists (select from ${tie})`).join(' and ');
  const over = await rows<{ id: string }>(
    em,
    `select p.id from person p
     where p.email_verified_at is null and p.deleted_at is null and not p.is_operator
       and p.created_at <= gatehouse_now() - ${UNCONFIRMED_DAYS} * interval '1 day' and ${untied}
     order by p.created_at limit ${BATCH} for no key update of p skip locked`,
  );
  for (const { id } of over) await erasePerson(em, id);
  return over.length;
}
