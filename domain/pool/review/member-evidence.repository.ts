// Counting days of Members in a month, person by person in batches.
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { countingDaysOf, readOwnDays } from '../input/counted-days.repository.ts';
import { findNextPeople, NOBODY, readFees } from '../input/fees.repository.ts';
import { readMonthFacts, type MonthFacts } from '../input/month-facts.repository.ts';
import type { PoolMonth } from '../input/pool-month.ts';
import { readAccounts } from './account-facts.repository.ts';
import type { MemberEvidence } from './review-rules.ts';

const MEMBERSHIPS = 1_000;

type ProductEvidence = { productId: string; evidence: MemberEvidence };

/** Of each Member of the month and currency and each product with counting days. */
export async function* readMemberEvidence(
  database: Pick<Database, 'em'>,
  of: PoolMonth,
): AsyncGenerator<ProductEvidence[]> {
  const facts = await readMonthFacts(database.em(), of.month);
  let after: string | null = NOBODY;
  while (after !== null) {
    const people = await findNextPeople(database.em(), { after, memberships: MEMBERSHIPS });
    if (people === null) return;
    const fees = await readFees(database.em(), { ...of, ...people });
    yield await readEvidence(database.em(), { personIds: [...fees.keys()], facts });
    after = people.through;
  }
}

type Asked = { personIds: readonly string[]; facts: MonthFacts };

async function readEvidence(em: EntityManager, asked: Asked): Promise<ProductEvidence[]> {
  const { facts, personIds } = asked;
  const own = await readOwnDays(em, asked);
  const accounts = await readAccounts(em, personIds);
  const counting = (await listUse(em, asked))
    .map((use) => ({ ...use, days: countingDaysOf(use, { ...facts, ...own }) }))
    .filter(({ days }) => days !== 0);
  const used = new Map<string, number>();
  for (const { personId } of counting) used.set(personId, (used.get(personId) ?? 0) + 1);
  return counting.map(({ personId, productId, days, firstAt, lastAt }) => ({
    productId,
    evidence: {
      month: facts.month,
      days,
      times: [firstAt, lastAt],
      productsUsed: used.get(personId)!,
      ...accounts.get(personId)!,
    },
  }));
}

function listUse(em: EntityManager, { personIds, facts }: Asked) {
  return kysely(em)
    .selectFrom('usageMonth')
    .select(['personId', 'productId', 'qualifyingDays', 'firstAt', 'lastAt'])
    .where('month', '=', `${facts.month}-01`)
    .where('personId', '=', anyOf(personIds))
    .where('qualifyingDays', '<>', 0)
    .execute();
}
