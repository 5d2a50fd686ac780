import { judgeSeal } from '../../../../domain/seal/criteria.ts';
import { holdSeal } from '../../catalog/seals.ts';
import type { TestApi } from '../../http/api.ts';

type Seals = { noticedId: string; appealedId: string; builderId: string };

const FIGURES = {
  people: 31,
  returningPeople: 12,
  days: 1_204,
  daysOfLargest: 130,
  daysOfFive: 300,
  charges: 240,
  refundedCharges: 24,
  lostChargebacks: 3,
  listedDays: 200,
  firstAttempts: 2_400,
  firstSuccesses: 2_300,
  callbacks: 60,
  tokens: 58,
};

/** A seal under notice with a year of reviews, and one whose product has appealed. */
export async function addSeals(
  { test }: Pick<TestApi, 'test'>,
  { noticedId, appealedId, builderId }: Seals,
): Promise<void> {
  for (const productId of [noticedId, appealedId]) {
    await holdSeal(test, { productId, isNoticed: true });
    await test.query(
      `insert into seal_review (product_id, week, is_passed, criteria, state)
       select $1, (date_trunc('week', now() at time zone 'UTC') - n * interval '7 days')::date,
         n > 2, case when n > 2 then '[]' else $2::jsonb end,
         case when n > 1 then 'held' else 'noticed' end
       from generate_series(0, 40) n`,
      [productId, JSON.stringify(judgeSeal(FIGURES))],
    );
  }
  await test.query(
    `insert into seal_appeal (id, product_id, person_id, text)
     values (gen_random_uuid(), $1, $2, $3)`,
    [appealedId, builderId, 'Our customers were on holiday, as every year. '.repeat(12)],
  );
}
