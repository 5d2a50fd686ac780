import test, { type ExecutionContext } from 'ava';
import { createPoolPayoutActivities } from '../../activities/pool/payout.activities.ts';
import type { Services } from '../../activities/services.ts';
import { recordFoundOutcome } from '../../domain/pool/payout-lines/end-payout.repository.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { openAppDatabase } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  addDuePayout,
  addPoolOwner,
  createPoolViews,
  readPoolLedger,
  type PoolOwner,
} from '../support/pool/payouts.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { startShop } from '../support/purchases/simulator.ts';
import { stubProcessor } from '../support/purchases/stub-processor.ts';

const shop = await startShop();
const { database: testDatabase } = shop;
const { query, url, advance } = testDatabase;
const database = openAppDatabase(url);
const { payoutsOf, linesOf, alertsOf, transfersOf } = createPoolViews(testDatabase);
const knobs = createKnobs(shop);
const { processor } = shop;
const { sendPoolPayout } = createPoolPayoutActivities({ database, processor } as Services);
const operator = await addPoolOwner({ query });
const by = { personId: operator.personId, ip: null };
test.after.always(async () => {
  await database.close();
  await shop.close();
});

type Due = { owner: PoolOwner; payoutId: string };

async function addPayout(): Promise<Due> {
  const account = await openReadyAccount(processor, 'creator@example.com');
  return addDuePayout({ testDatabase, database }, { amountMinor: 5_000, account });
}

/** One transfer and one mail, booked once, and nobody is alarmed. */
async function isPaidOnce(t: ExecutionContext, { owner, payoutId }: Due): Promise<void> {
  t.is((await transfersOf(payoutId)).length, 1);
  t.like(await payoutsOf(owner), { 0: { status: 'paid' }, length: 1 });
  t.is((await linesOf(owner))[0]![1], 'paid');
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
  t.deepEqual(await alertsOf(payoutId), []);
  const mails = 'select purpose from mail_token where person_id = $1';
  t.deepEqual(await query(mails, [owner.personId]), [{ purpose: 'pool_paid' }]);
}

// They share the knobs of the simulator.
test.serial('of attempts at once, each is answered, and one transfer is made', async (t) => {
  const { payoutId, ...due } = await addPayout();
  const reports = await Promise.all([1, 2, 3, 4].map(() => sendPoolPayout({ payoutId })));
  t.true(reports.some(({ status }) => status === 'paid'));
  await isPaidOnce(t, { payoutId, ...due });
});

test.serial('an answer that comes late, after another one, changes nothing', async (t) => {
  const { payoutId, ...due } = await addPayout();
  await knobs.transfers('delay', 1, 5);
  const late = sendPoolPayout({ payoutId });
  await eventually(
    () => transfersOf(payoutId),
    (made) => made.length === 1,
  );
  t.like(await sendPoolPayout({ payoutId }), { status: 'paid', attempts: 2 });
  await isPaidOnce(t, { payoutId, ...due });
  t.like(await late, { status: 'paid', attempts: 2 });
  await isPaidOnce(t, { payoutId, ...due });
});

test.serial(
  'a transfer without an answer counts, though its account closed meanwhile',
  async (t) => {
    const { payoutId, owner } = await addPayout();
    await knobs.transfers('drop', 2);
    t.like(await sendPoolPayout({ payoutId }), { status: 'paying', attempts: 1 });
    await knobs.setAccount(owner.account!, 'closed');
    await advance(61_000);
    t.like(await sendPoolPayout({ payoutId }), { status: 'paid', attempts: 2 });
    await isPaidOnce(t, { payoutId, owner });
  },
);

/** A payout of 40.00, and the processor's own words about its transfer. */
async function addPayoutAndTransfer() {
  const due = await addDuePayout({ testDatabase, database }, { amountMinor: 4_000 });
  const transfer = {
    object: 'transfer',
    currency: 'eur',
    amount: 4_000,
    destination: due.owner.account,
    transfer_group: due.payoutId,
  };
  return { ...due, transfer };
}

/** To a processor whose response no payout can end with. */
async function send(payoutId: string, body: object) {
  const { processor: stubbed, close: closeStub } = await stubProcessor(() => ({
    status: 200,
    body,
  }));
  const told = createPoolPayoutActivities({ database, processor: stubbed } as Services);
  try {
    return await told.sendPoolPayout({ payoutId });
  } finally {
    await closeStub();
  }
}

const rowOf = async (payoutId: string) => {
  const sql = `select status, attempts, transfer_id, is_outcome_unknown as unknown,
    due_at > gatehouse_now() as waits from pool_payout where id = $1`;
  return (await query(sql, [payoutId]))[0]!;
};

const UNREADABLE = {
  'a transfer without its fields': { object: 'transfer', id: 'tr_1' },
  nothing: null as unknown as object,
};

for (const [what, body] of Object.entries(UNREADABLE)) {
  test.serial(`${what} leaves the outcome unknown, and the schedule goes on`, async (t) => {
    const { payoutId, owner } = await addPayoutAndTransfer();
    t.like(await send(payoutId, body), { status: 'paying', attempts: 1 });
    t.like(await rowOf(payoutId), { attempts: 1, unknown: true, waits: true });
    const reason = 'The dashboard has none.';
    const found = { is: 'not_paid', payoutId, by, reason } as const;
    t.is(await database.transaction((em) => recordFoundOutcome(em, found)), 'recorded');
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 4_000, sumMinor: 0 });
  });
}

test.serial('a transfer that an operator recorded for another payout stops none', async (t) => {
  const [other, one] = [await addPayoutAndTransfer(), await addPayoutAndTransfer()];
  await send(other.payoutId, {});
  const find = (payoutId: string, transferId: string) =>
    database.transaction((em) => recordFoundOutcome(em, { is: 'paid', payoutId, by, transferId }));
  t.is(await find(other.payoutId, 'tr_of_one'), 'recorded');
  const made = { ...one.transfer, id: 'tr_of_one' };
  t.like(await send(one.payoutId, made), { status: 'paid', attempts: 1 });
  t.like(await rowOf(one.payoutId), { unknown: false, transfer_id: 'tr_of_one' });
  t.deepEqual(await alertsOf(one.payoutId), []);
  t.deepEqual(await alertsOf(other.payoutId), [{ kind: 'pool_transfer_unexpected', times: 1 }]);
  for (const { owner } of [one, other]) {
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
  }
});
