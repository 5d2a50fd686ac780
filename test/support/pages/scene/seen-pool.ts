import { newUuid } from '../../../../domain/shared/ids.ts';
import type { TestApi } from '../../http/api.ts';
import { monthsAgo } from '../../pool/pool-facts.ts';
import { createPoolRows } from '../../pool/pool-rows.ts';

type Pool = { productId: string; otherId: string; personId: string };

/** A Member, and months of the pool: paid, corrected, carried over, in review. */
export async function addPool(api: TestApi, { productId, otherId, personId }: Pool): Promise<void> {
  const pool = createPoolRows(api);
  const habits = [1, 1, 2, 3, 5, 8, 12, 20, 27];
  const others = Array.from({ length: 90 }, (_, index) => ({
    personId: newUuid(),
    netMinor: 999,
    days: { [productId]: habits[index % habits.length]!, [otherId]: 1 + ((index * 7) % 28) },
  }));
  const member = { personId, netMinor: 999, days: { [productId]: 20, [otherId]: 6 } };
  const members = [member, ...others];
  for (let ago = 8; ago > 4; ago -= 1) {
    const used = members.slice(0, 70 - 6 * ago);
    const periodId = await pool.month({ month: monthsAgo(ago), members: used });
    await pool.payOut({ periodId, productId });
  }
  const after = { ...member, netMinor: 499, days: { [productId]: 20 } };
  const correction = { of: monthsAgo(5), personId, before: member, after };
  const corrected = { month: monthsAgo(4), members, corrections: [correction] };
  await become(api, { productId, status: 'held', periodId: await pool.month(corrected) });
  const yen = { month: monthsAgo(4), currency: 'JPY', members: others.slice(0, 4) };
  await become(api, { productId, status: 'below_minimum', periodId: await pool.month(yen) });
  await pool.month({ month: monthsAgo(3), members });
  await pool.month({ month: monthsAgo(2), members, status: 'in_review' });
  await api.test.query(
    `insert into membership (id, person_id, status) values (gen_random_uuid(), $1, 'active')`,
    [personId],
  );
  await pay(api, { personId, months: [0, 1, 2, 3, 4, 5].map(monthsAgo) });
}

type Become = { productId: string; status: string; periodId: string };

const become = ({ test }: TestApi, { productId, status, periodId }: Become) =>
  test.query('update pool_line set status = $3 where product_id = $1 and period_id = $2', [
    productId,
    periodId,
    status,
  ]);

/** A charge for Member in each month. */
async function pay(
  { test }: TestApi,
  { personId, months }: { personId: string; months: string[] },
): Promise<void> {
  await test.query(
    `insert into payment (id, membership_id, gross_minor, currency, cut_minor, status,
       processor_id, created_at)
     select 'ch_pool_' || month, m.id, 999, 'USD', 999, 'succeeded', 'pi_pool_' || month,
       (month || '-15')::timestamptz
     from membership m cross join unnest($2::text[]) month where m.person_id = $1`,
    [personId, months],
  );
}
