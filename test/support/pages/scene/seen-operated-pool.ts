import type { SeedPerson } from '../../catalog/seed.ts';
import type { TestApi } from '../../http/api.ts';
import { addLine, addPayout, addPeriod, addReview } from '../../pool/period-rows.ts';

type Seen = {
  builder: SeedPerson;
  person: SeedPerson;
  operatorId: string;
  product: { id: string };
  plain: { id: string };
  included: { id: string };
};

const IN_REVIEW = '2025-11:EUR';

/** Months of the pool in several states, one with a hold, payouts in trouble and a first payout. */
export async function addOperatedPool({ test }: Pick<TestApi, 'test'>, seen: Seen): Promise<void> {
  await addPeriod(test, { id: '2026-11:EUR', status: 'open' });
  await addPreview(test, { periodId: '2026-11:EUR', productId: seen.product.id });
  await addPeriod(test, { id: IN_REVIEW, status: 'in_review' });
  const problem = 'Transfers are not proven with the live payment processor. Nothing is paid yet.';
  await addPeriod(test, { id: '2025-10:EUR', status: 'approved', problem });
  await addPeriod(test, { id: '2025-09:EUR', status: 'paying' });
  await addPeriod(test, { id: '2025-09:USD', status: 'empty' });
  const { builder, operatorId } = seen;
  // Together they are what the month gives to products.
  const amounts = [
    [seen.product, 25_000],
    [seen.plain, 15_000],
    [seen.included, 10_000],
  ] as const;
  for (const [{ id: productId }, amountMinor] of amounts) {
    const line = { periodId: IN_REVIEW, productId, personId: builder.id };
    await addLine(test, { ...line, amountMinor });
    await addReview(test, { periodId: IN_REVIEW, productId });
  }
  const corrected = { productId: seen.product.id, personId: builder.id, amountMinor: -518 };
  await addLine(test, { ...corrected, periodId: IN_REVIEW, month: '2025-10-01' });
  const held = { productId: seen.plain.id, personId: builder.id, amountMinor: 12_345 };
  await addLine(test, { ...held, periodId: '2025-09:EUR', status: 'held' });
  const failed = { ...held, productId: seen.product.id, status: 'failed' as const };
  await addLine(test, { ...failed, periodId: '2025-09:EUR' });
  await test.query(
    `insert into pool_hold (id, product_id, reason, held_by) values (gen_random_uuid(), $1, $2, $3)`,
    [seen.included.id, 'Most days come from one office at night. '.repeat(4), operatorId],
  );
  for (const [n, status] of (['failed', 'paying', 'paid'] as const).entries()) {
    const id = `pool-2025-0${n + 7}-${builder.id}-EUR`;
    const payout = { id, periodId: '2025-09:EUR', personId: builder.id };
    const isOutcomeUnknown = status === 'paying';
    await addPayout(test, { ...payout, status, attempts: n + 2, isOutcomeUnknown });
  }
  await test.query(
    `insert into pool_exclusion (person_id, product_id, month, reason, excluded_by)
     values ($1, $2, '2025-11-01', $3, $4)`,
    [seen.person.id, seen.product.id, 'A script reports every minute of the night.', operatorId],
  );
}

async function addPreview(
  { query }: TestApi['test'],
  { periodId, productId }: { periodId: string; productId: string },
): Promise<void> {
  const figures = {
    poolShareBps: 7_000,
    feesMinor: '1049000',
    platformMinor: '314700',
    productsMinor: '700300',
    unattributedMinor: '34000',
    members: 1_050,
    membersWithoutDays: 51,
    products: [{ productId, amountMinor: '700300', members: 999, qualifiedDays: 12_345 }],
  };
  await query(
    `insert into pool_preview (period_id, computed_at, figures) values ($1, gatehouse_now(), $2)`,
    [periodId, JSON.stringify(figures)],
  );
}
