import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { MemberEvidence } from './review-rules.ts';

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

const LOOKS_BACK = '90 days';

/** Each address is counted once, however many of the persons share it. */
async function countOnAddresses(em: EntityManager, persons: readonly string[]) {
  const own = kysely(em)
    .selectFrom('signInAddress')
    .select('address')
    .distinct()
    .where('personId', '=', anyOf(persons))
    .where('lastAt', '>', ago(LOOKS_BACK));
  const shared = kysely(em)
    .selectFrom(own.as('own'))
    .innerJoin('signInAddress as other', 'other.address', 'own.address')
    .select(({ fn }) => ['own.address', fn.countAll<number>().as('accounts')])
    .where('other.lastAt', '>', ago(LOOKS_BACK))
    .groupBy('own.address');
  return kysely(em)
    .selectFrom('signInAddress')
    .innerJoin(shared.as('shared'), 'shared.address', 'signInAddress.address')
    .select(['signInAddress.personId', 'shared.accounts as accountsOnAddress'])
    .where('signInAddress.personId', '=', anyOf(persons))
    .where('signInAddress.lastAt', '>', ago(LOOKS_BACK))
    .execute();
}
