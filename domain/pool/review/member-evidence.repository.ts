// Counting days of Members in a month, person by person in batches.
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { countingDaysOf, readOwnDays, selectUse } from '../input/counted-days.repository.ts';
import { readFeesInBatches } from '../input/fees.repository.ts';
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
  for await (const fees of readFeesInBatches(database, { ...of, memberships: MEMBERSHIPS })) {
    yield await readEvidence(database.em(), { personIds: [...fees.keys()], facts });
  }
}

type Asked = { personIds: readonly string[]; facts: MonthFacts };

async function readEvidence(em: EntityManager, asked: Asked): Promise<ProductEvidence[]> {
  const { facts, personIds } = asked;
  const own = await readOwnDays(em, asked);
  const accounts = await readAccounts(em, personIds);
  const used = await selectUse(em, asked).select(['firstAt', 'lastAt']).execute();
  const counting = used
    .map((use) => ({ ...use, days: countingDaysOf(use, { ...facts, ...own }) }))
    .filter(({ days }) => days !== 0);
  const products = new Map<string, number>();
  for (const { personId } of counting) products.set(personId, (products.get(personId) ?? 0) + 1);
  return counting.map(({ personId, productId, days, firstAt, lastAt }) => ({
    productId,
    evidence: {
      month: facts.month,
      days,
      times: [firstAt, lastAt],
      productsUsed: products.get(personId)!,
      ...accounts.get(personId)!,
    },
  }));
}
