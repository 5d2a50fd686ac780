import test from 'ava';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  addApprovedPeriod,
  addPoolOwner,
  createAttempts,
  createPoolViews,
  payoutIdOf,
  readPoolLedger,
  settle,
} from '../../../support/pool/payouts.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const { linesOf, payoutsOf, periodOf, alertsOf } = createPoolViews(testDatabase);
const { pay } = createAttempts(database);
test.after.always(close);

test.serial(
  'each owner gets one payout for all lines, and the ledger owes it until it is paid',
  async (t) => {
    const owner = await addPoolOwner({ query });
    const other = await addPoolOwner({ query });
    const id = await addApprovedPeriod(testDatabase, { month: '2025-01', unattributedMinor: 26 }, [
      { to: owner, amountMinor: 1_500 },
      { to: { ...owner, productId: other.productId }, amountMinor: 700 },
      { to: other, amountMinor: -40, month: '2024-12' },
      { to: owner, amountMinor: -200, month: '2024-12' },
    ]);
    t.deepEqual(await settle(database, id), { status: 'paying', problem: null });
    const payoutId = payoutIdOf(id, owner);
    t.is(payoutId, `pool-2025-01-${owner.personId}-EUR`);
    t.like(await payoutsOf(owner), {
      0: { id: payoutId, amount_minor: '2000', status: 'paying', account: owner.account },
      length: 1,
    });
    t.deepEqual(await linesOf(owner), [
      [id, 'paying', payoutId],
      [id, 'paying', payoutId],
      [id, 'paying', payoutId],
    ]);
    t.deepEqual(await linesOf(other), [[id, 'below_minimum', null]]);
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 2_000, sumMinor: 0 });
    t.deepEqual(await readPoolLedger(testDatabase, other), { owedMinor: -40, sumMinor: 0 });
    const kept = await query(
      `select account, amount_minor from ledger_entry where booking = $1 order by account`,
      [`pool:${id}:unattributed`],
    );
    t.deepEqual(kept, [
      { account: 'platform', amount_minor: '-26' },
      { account: 'unattributed', amount_minor: '26' },
    ]);
    await pay(payoutId);
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
    t.deepEqual(
      (await linesOf(owner)).map(([, status]) => status),
      ['paid', 'paid', 'paid'],
    );
    const messages = await query<{ workflow_type: string; kind: string }>(
      `select workflow_type, message ->> 'kind' as kind from outbox
     where workflow_id in ($1, $2) order by id`,
      [payoutId, `pool:${id}`],
    );
    t.deepEqual(messages, [
      { workflow_type: 'poolPayout', kind: 'started' },
      { workflow_type: 'poolPeriod', kind: 'payout_ended' },
    ]);
  },
);

test.serial('a repeat changes nothing, and of two at once one settles', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2025-02' }, [
    { to: owner, amountMinor: 1_000 },
  ]);
  const settled = await Promise.all([1, 2, 3].map(() => settle(database, id)));
  t.deepEqual(new Set(settled.map(({ status }) => status)), new Set(['paying']));
  t.is((await payoutsOf(owner)).length, 1);
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 1_000, sumMinor: 0 });
  await pay(payoutIdOf(id, owner));
  t.is((await settle(database, id)).status, 'paying', 'the workflow of the period finishes it');
});

test.serial('two months of a currency at once pay each line once', async (t) => {
  const owner = await addPoolOwner({ query });
  const lines = [{ to: owner, amountMinor: 1_000 }];
  const first = await addApprovedPeriod(testDatabase, { month: '2025-03' }, lines);
  const second = await addApprovedPeriod(testDatabase, { month: '2025-04' }, lines);
  await Promise.all([settle(database, second), settle(database, first)]);
  const sum = (await payoutsOf(owner)).reduce((all, each) => all + Number(each.amount_minor), 0);
  t.is(sum, 2_000);
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 2_000, sumMinor: 0 });
});

test.serial('below the minimum it is carried over and paid with a later month', async (t) => {
  const owner = await addPoolOwner({ query });
  const first = await addApprovedPeriod(testDatabase, { month: '2025-05' }, [
    { to: owner, amountMinor: 999 },
  ]);
  t.deepEqual(await settle(database, first), { status: 'paid', problem: null });
  t.truthy((await periodOf(first)).paid_at);
  t.deepEqual(await linesOf(owner), [[first, 'below_minimum', null]]);
  const second = await addApprovedPeriod(testDatabase, { month: '2025-06' }, [
    { to: owner, amountMinor: 1 },
  ]);
  await settle(database, second);
  t.like(await payoutsOf(owner), { 0: { amount_minor: '1000' }, length: 1 });
  await pay(payoutIdOf(second, owner));
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
});

test.serial('the minimum is that of the approval', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2025-06', currency: 'SEK' }, [
    { to: owner, amountMinor: 1_200 },
  ]);
  await query(
    `insert into pool_setting (pool_share_bps, minimum_minor, since)
     values (7000, 5000, gatehouse_now() + interval '1 second')`,
  );
  await settle(database, id);
  t.is((await payoutsOf(owner)).length, 1);
  await query('delete from pool_setting where minimum_minor = 5000');
});

test.serial('a debt is worked off first', async (t) => {
  const owner = await addPoolOwner({ query });
  const first = await addApprovedPeriod(testDatabase, { month: '2025-07' }, [
    { to: owner, amountMinor: -700, month: '2025-06' },
  ]);
  t.is((await settle(database, first)).status, 'paid');
  const second = await addApprovedPeriod(testDatabase, { month: '2025-08' }, [
    { to: owner, amountMinor: 1_900 },
  ]);
  await settle(database, second);
  t.like(await payoutsOf(owner), { 0: { amount_minor: '1200' }, length: 1 });
  await pay(payoutIdOf(second, owner));
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
});

test.serial('a held product waits, its owner’s other lines do not', async (t) => {
  const owner = await addPoolOwner({ query });
  const held = { ...owner, productId: (await addPoolOwner({ query })).productId };
  const hold = `insert into pool_hold (id, product_id, reason, held_by) values ($1, $2, 'a look', $3)`;
  await query(hold, [newUuid(), held.productId, owner.personId]);
  const first = await addApprovedPeriod(testDatabase, { month: '2025-09' }, [
    { to: owner, amountMinor: 1_100 },
    { to: held, amountMinor: 3_000 },
  ]);
  await settle(database, first);
  t.deepEqual(
    (await linesOf(owner)).map(([, status]) => status),
    ['paying', 'held'],
  );
  await query(
    'update pool_hold set released_at = gatehouse_now(), released_by = $2 where product_id = $1',
    [held.productId, owner.personId],
  );
  const second = await addApprovedPeriod(testDatabase, { month: '2025-10' }, []);
  t.is((await settle(database, second)).status, 'paying', 'no line of its own is needed');
  t.deepEqual(
    (await payoutsOf(owner)).map((payout) => payout.amount_minor),
    ['1100', '3000'],
  );
});

test.serial('without an account able to receive it, it waits for one', async (t) => {
  const owners = [
    await addPoolOwner({ query }, { account: null }),
    await addPoolOwner({ query }, { canReceive: false }),
  ];
  const first = await addApprovedPeriod(
    testDatabase,
    { month: '2025-11' },
    owners.map((to) => ({ to, amountMinor: 1_000 })),
  );
  await settle(database, first);
  for (const owner of owners) t.deepEqual(await linesOf(owner), [[first, 'no_account', null]]);
  await query('update payout_account set can_charge = true where person_id = $1', [
    owners[1]!.personId,
  ]);
  const second = await addApprovedPeriod(testDatabase, { month: '2025-12' }, []);
  await settle(database, second);
  t.is((await payoutsOf(owners[0]!)).length, 0);
  t.is((await payoutsOf(owners[1]!)).length, 1);
});

test.serial('with a live processor, or a statement that differs, nothing moves', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2026-07' }, [
    { to: owner, amountMinor: 1_000 },
  ]);
  const stopped = await settle(database, id, { isLive: true });
  t.is(stopped.status, 'approved');
  t.regex(stopped.problem!, /live/);
  t.is((await periodOf(id)).problem, stopped.problem);
  t.deepEqual(await alertsOf(id), [{ kind: 'pool_stopped', times: 1 }]);
  await query('update pool_period set products_minor = 999, fees_minor = 999 where id = $1', [id]);
  t.regex((await settle(database, id)).problem!, /add up to 1000, the statement to 999/);
  t.deepEqual(await payoutsOf(owner), []);
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
  await query('update pool_period set products_minor = 1000, fees_minor = 1000 where id = $1', [
    id,
  ]);
  t.deepEqual(await settle(database, id), { status: 'paying', problem: null });
  t.like(await periodOf(id), { status: 'paying', problem: null });
  t.deepEqual(await alertsOf(id), []);
});

test.serial('a period that is not approved is not settled', async (t) => {
  const id = await addApprovedPeriod(testDatabase, { month: '2026-08' }, []);
  await query(`update pool_period set status = 'in_review' where id = $1`, [id]);
  await t.throwsAsync(settle(database, id), { message: /is in_review/ });
});

test.serial('what is smaller than the processor’s step is carried over', async (t) => {
  const owner = await addPoolOwner({ query });
  const settleMonth = async (month: string, amountMinor: number) => {
    const lines = [{ to: owner, amountMinor }];
    const id = await addApprovedPeriod(testDatabase, { month, currency: 'KWD' }, lines);
    await settle(database, id, { step: 10 });
    await pay(payoutIdOf(id, owner));
  };
  await settleMonth('2026-01', 1_237);
  await settleMonth('2026-02', 2_006);
  t.deepEqual(
    (await payoutsOf(owner)).map((payout) => payout.amount_minor),
    ['1230', '2010'],
  );
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 3, sumMinor: 0 });
});
