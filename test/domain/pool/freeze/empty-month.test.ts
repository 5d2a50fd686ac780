import test from 'ava';
import { confirmFirstPayout } from '../../../../domain/pool/line/confirm-owner.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  addApprovedPeriod,
  addPoolOwner,
  createPoolViews,
  payoutIdOf,
  settle,
} from '../../../support/pool/payouts.ts';
import { monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const { query, openPeriod, freeze, compute } = createPoolScene({ testDatabase, database });
const { linesOf, payoutsOf } = createPoolViews(testDatabase);
const CURRENCY = 'SEK';

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
  await query(
    `update pool_period set status = 'approved', approved_at = gatehouse_now() where id = $1`,
    [third],
  );
  t.deepEqual(await settle(database, third), { status: 'paying', problem: null });
  t.deepEqual(await linesOf(owner), [[first, 'paying', payoutIdOf(third, owner)]]);
  t.like(await payoutsOf(owner), { 0: { amount_minor: '2500' }, length: 1 });
});
