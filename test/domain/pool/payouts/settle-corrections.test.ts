import test from 'ava';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { monthsAgo } from '../../../support/pool/pool-facts.ts';
import { settle } from '../../../support/pool/payouts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close: closeDatabase } = await openTestDatabase();
test.after.always(closeDatabase);

const { query, addIncluded, pay, returnMoney, use, close } = createPoolScene({
  testDatabase,
  database,
});
const [before, month] = [monthsAgo(2), monthsAgo(1)];

async function approve(periodId: string) {
  await query(
    `update pool_period set status = 'approved', approved_at = gatehouse_now() where id = $1`,
    [periodId],
  );
  return settle(database, periodId);
}

const bookedOf = (periodId: string) =>
  query<{ account: string; minor: number }>(
    `select account, sum(amount_minor)::int as minor from ledger_entry where pool_period_id = $1
     group by account order by account`,
    [periodId],
  );

test('a month with corrections of an earlier one is settled and booked with them', async (t) => {
  const { productId } = await addIncluded();
  const [used, unused] = [await pay({ month: before }), await pay({ month: before })];
  await use(used.personId, { productId, month: before, mask: 1 });
  const first = await close(before);
  t.like(await approve(first), { problem: null });
  t.deepEqual(await bookedOf(first), [
    { account: 'platform', minor: -1_398 },
    { account: 'pool', minor: 699 },
    { account: 'unattributed', minor: 699 },
  ]);
  await returnMoney(used.paymentId, 400);
  await returnMoney(unused.paymentId, 999);
  const later = await pay({ month });
  await use(later.personId, { productId, month, mask: 1 });
  const second = await close(month);
  t.like(await approve(second), { problem: null });
  // 699 of the month; 419 instead of 699 of the month before.
  t.deepEqual(await bookedOf(second), [
    { account: 'platform', minor: 280 },
    { account: 'pool', minor: 419 },
    { account: 'unattributed', minor: -699 },
  ]);
});
