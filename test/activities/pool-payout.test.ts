import test, { type ExecutionContext } from 'ava';
import { createPoolPayoutActivities } from '../../activities/pool/payout.activities.ts';
import type { Services } from '../../activities/index.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { openAppDatabase } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  addDuePayout,
  createPoolViews,
  readPoolLedger,
  type PoolOwner,
} from '../support/pool/payouts.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { startShop } from '../support/purchases/simulator.ts';

const shop = await startShop();
const { query, url, advance } = shop.database;
const database = await openAppDatabase(url);
const { payoutsOf, linesOf, alertsOf, transfersOf } = createPoolViews(shop.database);
const knobs = createKnobs(shop);
const { processor } = shop;
const { sendPoolPayout } = createPoolPayoutActivities({ database, processor } as Services);
test.after.always(async () => {
  await database.close();
  await shop.close();
});

type Due = { owner: PoolOwner; payoutId: string };

async function addPayout(): Promise<Due> {
  const account = await openReadyAccount(processor, 'creator@example.com');
  const parts = { testDatabase: shop.database, database };
  return addDuePayout(parts, { amountMinor: 5_000, account });
}

/** One transfer and one mail, booked once, and nobody is alarmed. */
async function isPaidOnce(t: ExecutionContext, { owner, payoutId }: Due): Promise<void> {
  t.is((await transfersOf(payoutId)).length, 1);
  t.like(await payoutsOf(owner), { 0: { status: 'paid' }, length: 1 });
  t.is((await linesOf(owner))[0]![1], 'paid');
  t.deepEqual(await readPoolLedger(shop.database, owner), { owedMinor: 0, sumMinor: 0 });
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
