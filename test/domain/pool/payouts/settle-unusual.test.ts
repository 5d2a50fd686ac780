// Months without charges, or with corrections of earlier ones, and who was confirmed between.
import test from 'ava';
import { confirmFirstPayout } from '../../../../domain/pool/line/owner-money.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  addApprovedPeriod,
  addPoolOwner,
  createPoolViews,
  payoutIdOf,
  settle,
  addPoolTeam,
} from '../../../support/pool/payouts.ts';
import { monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const scene = createPoolScene({ testDatabase, database });
const { query, openPeriod, freeze, compute, addIncluded, pay, returnMoney, use } = scene;
const { linesOf, payoutsOf } = createPoolViews(testDatabase);
const CURRENCY = 'SEK';

async function approve(periodId: string) {
  await query(
    `update pool_period set status = 'approved', approved_at = gatehouse_now() where id = $1`,
    [periodId],
  );
  return settle(database, periodId);
}

test('a month without charges is settled when it can pay what waited', async (t) => {
  const owner = await addPoolOwner({ query }, { isConfirmed: false });
  const first = await addApprovedPeriod(testDatabase, { month: monthsAgo(3), currency: CURRENCY }, [
    { to: owner, amountMinor: 2_500 },
  ]);
  await settle(database, first);
  t.deepEqual(await linesOf(owner), [[first, 'held', null]]);
  const second = await openPeriod(monthsAgo(2), CURRENCY);
  t.deepEqual(await freeze(second), { status: 'empty' }, 'nobody has confirmed the owner');

  const confirmed = { ownerId: owner.personId, byId: owner.personId };
  await database.transaction((em) => confirmFirstPayout(em, confirmed));
  const third = await openPeriod(monthsAgo(1), CURRENCY);
  t.deepEqual(await freeze(third), { status: 'frozen' });
  t.deepEqual(await compute(third), { status: 'computed' });
  t.deepEqual(await approve(third), { status: 'paying', problem: null });
  t.deepEqual(await linesOf(owner), [[first, 'paying', payoutIdOf(third, owner)]]);
  t.like(await payoutsOf(owner), { 0: { amount_minor: '2500' }, length: 1 });
});

const [before, month] = [monthsAgo(2), monthsAgo(1)];

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
  const first = await scene.close(before);
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
  const second = await scene.close(month);
  t.like(await approve(second), { problem: null });
  // 699 of the month; 419 instead of 699 of the month before.
  t.deepEqual(await bookedOf(second), [
    { account: 'platform', minor: 280 },
    { account: 'pool', minor: 419 },
    { account: 'unattributed', minor: -699 },
  ]);
});

test('why an operator confirmed a team is not in the trail of the team', async (t) => {
  const teamId = await addPoolTeam({ query }, 'acct_trail');
  await query(
    'update payout_account set pool_confirmed_at = null, pool_confirmed_by = null where team_id = $1',
    [teamId],
  );
  const { personId: byId } = await addPoolOwner({ query });
  const confirmed = { ownerId: teamId, byId, ip: '192.0.2.1', reason: 'passport seen' };
  t.true(await database.transaction((em) => confirmFirstPayout(em, confirmed)));
  const trail = await query('select team_id, product_id from audit where subject = $1', [teamId]);
  t.deepEqual(trail, [{ team_id: null, product_id: null }]);
});
