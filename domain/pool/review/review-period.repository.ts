import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { asJson, ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { readPeriodId, type PoolMonth } from '../period/pool-month.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import { PoolReview } from './pool-review.entity.ts';
import {
  addMember,
  emptySums,
  toFigures,
  type ReviewSums,
  type MemberEvidence,
  SHARED_BY,
} from './review-rules.ts';
import {
  countingDaysOf,
  readOwnDays,
  selectUse,
  readMonthFacts,
  type PeopleInMonth,
} from '../fees-and-days/counted-days.repository.ts';
import { readFeesInBatches } from '../fees-and-days/member-months.repository.ts';
import { SIGN_IN_ADDRESS_KEPT } from '../../identity/sign-in.repository.ts';

const AT_ONCE = 500;

/**
 * Writes the figures of each product of a computed period, which is in review from then on. A
 * repeated review changes nothing.
 */
export async function reviewPeriod(
  database: Database,
  periodId: string,
): Promise<{ listed: number }> {
  const period = await database.em().findOneOrFail(PoolPeriod, periodId, { fields: ['status'] });
  if (period.status === 'computed') {
    const sums = new Map<string, ReviewSums>();
    for (const productId of await listProducts(database.em(), periodId)) {
      sums.set(productId, emptySums());
    }
    for await (const batch of readMemberEvidence(database, readPeriodId(periodId))) {
      for (const { productId, evidence } of batch) {
        const ofProduct = sums.get(productId);
        if (ofProduct) addMember(ofProduct, evidence);
      }
    }
    await database.transaction((em) => keepReview(em, { periodId, sums }));
  }
  return { listed: await database.em().count(PoolReview, { periodId, isListed: true }) };
}

/** Lists the products with an amount of the month itself. */
async function listProducts(em: EntityManager, periodId: string): Promise<string[]> {
  const found = await kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('poolPeriod as period', (join) =>
      join.onRef('period.id', '=', 'line.periodId').onRef('period.month', '=', 'line.month'),
    )
    .select('line.productId')
    .where('line.periodId', '=', periodId)
    .execute();
  return found.map(({ productId }) => productId);
}

/** Stores one of two reviews at once: the second finds the period in review. */
async function keepReview(
  em: EntityManager,
  { periodId, sums }: { periodId: string; sums: ReadonlyMap<string, ReviewSums> },
): Promise<void> {
  const computed = { id: periodId, status: 'computed' } as const;
  if ((await em.nativeUpdate(PoolPeriod, computed, { status: 'in_review' })) === 0) return;
  const rows = [...sums].map(([productId, each]) => {
    const figures = toFigures(each);
    const isListed = figures.some(({ isOver }) => isOver);
    return { periodId, productId, figures: asJson(figures), isListed };
  });
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await kysely(em)
      .insertInto('poolReview')
      .values(rows.slice(from, from + AT_ONCE))
      .execute();
  }
}

const MEMBERSHIPS = 1_000;

type ProductEvidence = { productId: string; evidence: MemberEvidence };

/**
 * Yields the evidence of each Member of the month and currency for each product with counting days.
 */
async function* readMemberEvidence(
  database: Pick<Database, 'em'>,
  of: PoolMonth,
): AsyncGenerator<ProductEvidence[]> {
  const facts = await readMonthFacts(database.em(), of.month);
  for await (const fees of readFeesInBatches(database, { ...of, memberships: MEMBERSHIPS })) {
    yield await readEvidence(database.em(), { personIds: [...fees.keys()], facts });
  }
}

async function readEvidence(em: EntityManager, input: PeopleInMonth): Promise<ProductEvidence[]> {
  const { facts, personIds } = input;
  const own = await readOwnDays(em, input);
  const accounts = await readAccounts(em, personIds);
  const used = await selectUse(em, input).select(['firstAt', 'lastAt']).execute();
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

type AccountFacts = Pick<MemberEvidence, 'accountCreatedAt' | 'accountsOnAddress'>;

/**
 * Reads the age of each account, and the accounts on the most shared of the person's sign-in
 * addresses.
 */
async function readAccounts(
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
 * Counts by person and address. One account more than the rule allows is enough to count: thousands
 * may share the address of a network.
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
