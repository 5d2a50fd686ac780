import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { SIGN_IN_ADDRESS_KEPT } from '../../identity/sign-in.repository.ts';
import { kysely } from '../../kysely.ts';
import { SHARED_BY, type MemberEvidence } from './review-rules.ts';

type AccountFacts = Pick<MemberEvidence, 'accountCreatedAt' | 'accountsOnAddress'>;

/** Of each person: the age, and the accounts on the most shared of the person's sign-in addresses. */
export async function readAccounts(
  em: EntityManager,
  persons: readonly string[],
): Promise<Map<string, AccountFacts>> {
  const found = await kysely(em)
    .selectFrom('person')
    .select(['id', 'createdAt'])
    .where('id', '=', anyOf(persons))
    .execute();
  const accounts = new Map<string, AccountFacts>();
  for (const { id, createdAt } of found) {
    accounts.set(id, { accountCreatedAt: createdAt, accountsOnAddress: 0 });
  }
  for (const { personId, accountsOnAddress } of await countOnAddresses(em, persons)) {
    const account = accounts.get(personId)!;
    account.accountsOnAddress = Math.max(account.accountsOnAddress, accountsOnAddress);
  }
  return accounts;
}

/**
 * By person and address. One account more than the rule allows is enough to count: thousands may
 * share the address of a network.
 */
async function countOnAddresses(em: EntityManager, persons: readonly string[]) {
  const own = kysely(em)
    .selectFrom('signInAddress as own')
    .select('own.address')
    .distinct()
    .where('own.personId', '=', anyOf(persons))
    .where('own.lastAt', '>', ago(SIGN_IN_ADDRESS_KEPT));
  const shared = kysely(em)
    .selectFrom(own.as('own'))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom((some) =>
          some
            .selectFrom('signInAddress as other')
            .select('other.personId')
            .whereRef('other.address', '=', 'own.address')
            .where('other.lastAt', '>', ago(SIGN_IN_ADDRESS_KEPT))
            .limit(SHARED_BY + 1)
            .as('some'),
        )
          .select(({ fn }) => fn.countAll<number>().as('accounts'))
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select(['own.address', 'counted.accounts']);
  return kysely(em)
    .selectFrom('signInAddress')
    .innerJoin(shared.as('shared'), 'shared.address', 'signInAddress.address')
    .select(['signInAddress.personId', 'shared.accounts as accountsOnAddress'])
    .where('signInAddress.personId', '=', anyOf(persons))
    .where('signInAddress.lastAt', '>', ago(SIGN_IN_ADDRESS_KEPT))
    .execute();
}
