// Months without charges, or with corrections of earlier ones, and who was confirmed between.
import test from 'ava';
import { lockPayoutAccount } from '../../../../domain/catalog/payouts/payout-account.repository.ts';
import { PayoutAccount } from '../../../../domain/catalog/product.entity.ts';
import { confirmFirstPayout } from '../../../../domain/pool/payout-lines/owner-money.repository.ts';
import { settlePeriod } from '../../../../domain/pool/payout-lines/settle-period.repository.ts';
import { listUnconfirmedOwners } from '../../../../domain/pool/operator-views/payouts.repository.ts';
import { CLOCK } from '../../../../platform/database/expressions.ts';
import { isSomebodyWaiting, openTestDatabase } from '../../../support/engines/database.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  addApprovedPeriod,
  addPayoutAccount,
  addPoolOwner,
  createPoolViews,
  payoutIdOf,
  settle,
  addPoolTeam,
  type PoolOwner,
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

/** As the command does it. */
async function replaceAccount({ personId, account }: PoolOwner) {
  await query(
    'update payout_account set replaced_at = gatehouse_now() where processor_account = $1',
    [account],
  );
  await addPayoutAccount({ query }, { personId, account: `${account}_new`, confirmedBy: null });
}

test.serial(
  'a replaced account gets what is under way, the new one what is confirmed',
  async (t) => {
    const owner = await addPoolOwner({ query });
    const settleMonth = async (month: string) => {
      const id = await addApprovedPeriod(testDatabase, { month }, [
        { to: owner, amountMinor: 2_000 },
      ]);
      await settle(database, id);
      return id;
    };
    const first = await settleMonth('2023-01');
    await replaceAccount(owner);
    t.like(await payoutsOf(owner), { 0: { status: 'paying', account: owner.account }, length: 1 });
    const second = await settleMonth('2023-02');
    t.deepEqual(await linesOf(owner), [
      [first, 'paying', payoutIdOf(first, owner)],
      [second, 'held', null],
    ]);
    const unconfirmed = await listUnconfirmedOwners(database.em());
    t.is(unconfirmed.filter(({ ownerId }) => ownerId === owner.personId).length, 1);
    const confirmed = { ownerId: owner.personId, byId: owner.personId };
    t.true(await database.transaction((em) => confirmFirstPayout(em, confirmed)));
    await settleMonth('2023-03');
    t.like(await payoutsOf(owner), {
      0: { account: owner.account, amount_minor: '2000' },
      1: { account: `${owner.account}_new`, amount_minor: '4000' },
      length: 2,
    });
  },
);

test.serial('a replacement waits for a settlement, whose payout stays', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2023-04' }, [
    { to: owner, amountMinor: 2_000 },
  ]);
  let replaced: Promise<unknown> | undefined;
  await database.transaction(async (em) => {
    await settlePeriod(em, { periodId: id, isLive: false, stepMinor: () => 1 });
    replaced = replaceAccount(owner);
    await eventually(() => isSomebodyWaiting(testDatabase), Boolean);
  });
  await replaced;
  t.like(await payoutsOf(owner), { 0: { account: owner.account, status: 'paying' }, length: 1 });
});

test.serial(
  'a settlement waits for a replacement, and pays nothing to the old account',
  async (t) => {
    const owner = await addPoolOwner({ query });
    const id = await addApprovedPeriod(testDatabase, { month: '2023-05' }, [
      { to: owner, amountMinor: 2_000 },
    ]);
    let settled: Promise<unknown> | undefined;
    await database.transaction(async (em) => {
      await lockPayoutAccount(em, owner.account!);
      await em.nativeUpdate(
        PayoutAccount,
        { processorAccount: owner.account! },
        { replacedAt: CLOCK },
      );
      settled = settle(database, id);
      await eventually(() => isSomebodyWaiting(testDatabase), Boolean);
    });
    await settled;
    t.deepEqual(await payoutsOf(owner), []);
    t.deepEqual(await linesOf(owner), [[id, 'no_account', null]]);
  },
);
