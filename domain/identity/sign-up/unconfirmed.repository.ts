import type { EntityManager } from '../../../platform/database/database.ts';
import { ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { erasePerson } from '../account.repository.ts';
import { UNCONFIRMED_DAYS } from './new-person.repository.ts';

// Each one takes several statements.
const BATCH = 100;

/** Others rely on such an account, or money stands behind it: it stays. */
const TIES = [
  'teamMember',
  'payoutAccount',
  'accessGrant',
  'checkout',
  'purchase',
  'subscription',
  'membership',
] as const;

/**
 * Deletes one batch of accounts whose address was not confirmed in time, and returns their number.
 * A confirmation at the same moment holds the row, and its account stays.
 */
export async function eraseUnconfirmed(em: EntityManager): Promise<number> {
  const over = await kysely(em)
    .selectFrom('person')
    .select('person.id')
    .where('person.emailVerifiedAt', 'is', null)
    .where('person.deletedAt', 'is', null)
    .where('person.isOperator', '=', false)
    .where('person.createdAt', '<=', ago(`${UNCONFIRMED_DAYS} days`))
    .where(({ and, not, exists, selectFrom }) =>
      and(
        TIES.map((table) =>
          not(exists(selectFrom(table).select('personId').whereRef('personId', '=', 'person.id'))),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('product')
            .select('product.id')
            .where(({ or, eb, ref }) =>
              or([
                eb('product.ownerPersonId', '=', ref('person.id')),
                eb('product.commercialOperatorId', '=', ref('person.id')),
              ]),
            ),
        ),
      ),
    )
    .orderBy('person.createdAt')
    .limit(BATCH)
    .forNoKeyUpdate('person')
    .skipLocked()
    .execute();
  for (const { id } of over) await erasePerson(em, id);
  return over.length;
}
