import test from 'ava';
import type { Processor } from '../../clients/processor/processor.ts';
import { eventually } from '../support/eventually.ts';
import { startPurchase } from '../support/purchases/purchases.ts';
import { CARDS, startShop, type Shop } from '../support/purchases/simulator.ts';
import { timersOf } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let shop: Shop;
let stage: Stage;
let refund: Processor['refund'];

test.before(async () => {
  shop = await startShop();
  refund = shop.processor.refund;
  const processor: Processor = { ...shop.processor, refund: (input) => refund(input) };
  // One database, hence one clock, for us and for the simulator.
  const testDatabase = shop.database;
  stage = await openStage({ taskQueues: ['money'], processor, testDatabase });
  stage.startPublisher();
  await stage.startWorkers();
});
test.afterEach.always(() => {
  refund = shop.processor.refund;
});
test.after.always(async () => {
  await stage?.close();
  await shop?.close();
});

async function buy(card: string = CARDS.succeeds) {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.pay(card);
  await story.tell('checkout.session.completed');
  return {
    ...story,
    /** In a wait of six hours; answers how many there were so far. */
    async waitsForNews() {
      const timers = () => timersOf(stage.client, story.workflowId).catch(() => []);
      const found = await eventually(timers, (all) => all.at(-1) === 6 * 3_600_000);
      return found.length;
    },
    reaches: (status: string) => eventually(story.status, (found) => found === status),
    /** Of each of its refunds. */
    refundsReach: (...statuses: string[]) =>
      eventually(
        story.refunds,
        (found) => statuses.join() === found.map(({ status }) => status).join(),
      ),
  };
}

const madeThere = ({ purchaseId }: { purchaseId: string }) =>
  stage.testDatabase.query<{ amount: string; reversed: boolean }>(
    `select amount, transfer_reversal is not null as reversed from simulator.refund
     where metadata ->> 'purchase_id' = $1`,
    [purchaseId],
  );

test.serial(
  'a refund is a message to the actor: made once, withdrawn, told, and closed',
  async (t) => {
    const story = await buy();
    await story.reaches('cleared');
    await story.refund();
    await story.reaches('refunded');
    t.is(await story.result(), 'refunded');
    t.deepEqual(await madeThere(story), [{ amount: '1900', reversed: true }]);
    t.deepEqual(await story.events(), [
      'purchase.completed',
      'entitlement.created',
      'purchase.refunded',
      'entitlement.refunded',
    ]);
    for (const type of ['refund.created', 'charge.refunded', 'refund.updated'])
      await story.tell(type);
    await eventually(
      () =>
        stage.testDatabase.query(
          'select 1 from processor_event where purchase_id = $1 and handled_at is null',
          [story.purchaseId],
        ),
      (open) => open.length === 0,
    );
    t.deepEqual(await story.refunds(), [{ status: 'succeeded', amount: 1_900, isKnown: true }]);
    t.is((await story.events()).length, 4);
  },
);

test.serial('partial refunds keep access, and the last one takes it', async (t) => {
  const story = await buy();
  await story.reaches('cleared');
  await story.refund(400);
  await story.refundsReach('succeeded');
  t.is(await story.status(), 'cleared');
  await story.refund(1_500);
  await story.reaches('refunded');
  t.deepEqual((await story.events()).slice(2), [
    'purchase.partially_refunded',
    'purchase.refunded',
    'entitlement.refunded',
  ]);
});

test.serial(
  'a processor that dies between the refund and its answer has made it once',
  async (t) => {
    const story = await buy();
    await story.reaches('cleared');
    let calls = 0;
    refund = async (input) => {
      calls += 1;
      const made = await shop.processor.refund(input);
      if (calls === 1) throw new Error('the answer was lost');
      return made;
    };
    await story.refund(1_000);
    await story.refundsReach('succeeded');
    t.is(calls, 1, 'it was found there, not asked for again');
    t.deepEqual(await madeThere(story), [{ amount: '1000', reversed: true }]);
  },
);

test.serial(
  'what the processor refuses for good is failed, and may be asked for again',
  async (t) => {
    const story = await buy();
    await story.reaches('cleared');
    refund = (input) => shop.processor.refund({ ...input, amountMinor: 5_000 });
    await story.refund(1_000);
    await story.refundsReach('failed');
    t.is(await story.status(), 'cleared');
    refund = shop.processor.refund;
    await story.refund(1_900);
    await story.reaches('refunded');
  },
);

test.serial('a refund asked for while clearing waits until the money has come', async (t) => {
  const story = await buy(CARDS.clearsLate);
  await story.reaches('clearing');
  const timers = await story.waitsForNews();
  await story.refund();
  await story.isWaiting(timers + 1);
  t.deepEqual(await story.refunds(), [{ status: 'requested', amount: 1_900, isKnown: false }]);
  await stage.testDatabase.advance(3 * 86_400_000 + 1_000);
  await eventually(
    () => shop.receiver.received.map(({ type }) => type),
    (types) => types.includes('checkout.session.async_payment_succeeded'),
  );
  await story.tell('checkout.session.async_payment_succeeded');
  await story.reaches('refunded');
  t.deepEqual((await story.events()).slice(-2), ['purchase.refunded', 'entitlement.refunded']);
});

test.serial(
  'a refund asked for while clearing is canceled when the money does not come',
  async (t) => {
    const story = await buy(CARDS.failsLate);
    await story.reaches('clearing');
    await story.refund();
    await stage.testDatabase.advance(3 * 86_400_000 + 1_000);
    await eventually(
      () => shop.receiver.received.map(({ type }) => type),
      (types) => types.includes('checkout.session.async_payment_failed'),
    );
    await story.tell('checkout.session.async_payment_failed');
    t.is(await story.result(), 'failed');
    t.deepEqual(await story.refunds(), [{ status: 'canceled', amount: 1_900, isKnown: false }]);
    t.deepEqual(await madeThere(story), []);
  },
);

test.serial(
  'a refund that takes days is asked after every six hours, and withdraws nothing before',
  async (t) => {
    const story = await buy(CARDS.refundsLate);
    await story.reaches('cleared');
    await story.result();
    await story.refund();
    await story.waitsForNews();
    t.is(await story.status(), 'cleared');
    t.deepEqual(await story.refunds(), [{ status: 'submitted', amount: 1_900, isKnown: true }]);
    await stage.testDatabase.advance(3 * 86_400_000 + 1_000);
    await eventually(
      () => shop.receiver.received.map(({ type }) => type),
      (types) => types.includes('refund.updated'),
    );
    await story.passHours(6.1);
    t.is(await story.result(), 'refunded');
  },
);

test.serial('a refund that fails days later is reversed, and access is created anew', async (t) => {
  const story = await buy(CARDS.refundFailsLate);
  await story.reaches('cleared');
  await story.refund();
  await story.reaches('refunded');
  await stage.testDatabase.advance(3 * 86_400_000 + 1_000);
  await eventually(
    () => shop.receiver.received.map(({ type }) => type),
    (types) => types.includes('refund.failed'),
  );
  await story.tell('refund.failed');
  await story.reaches('cleared');
  t.deepEqual(await story.refunds(), [{ status: 'reversed', amount: 1_900, isKnown: true }]);
  t.deepEqual((await story.events()).slice(-1), ['entitlement.created']);
});

test.serial('a refund that was made at the processor is found by its event', async (t) => {
  const story = await buy();
  await story.reaches('cleared');
  const [row] = await stage.testDatabase.query<{ id: string }>(
    'select processor_id as id from payment where purchase_id = $1',
    [story.purchaseId],
  );
  const answer = await fetch(`${shop.url}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.secretKey}` },
    body: new URLSearchParams({ payment_intent: row!.id, amount: '300' }),
  });
  t.is(answer.status, 200);
  await story.tell('refund.created');
  await story.refundsReach('succeeded');
  t.deepEqual(await story.refunds(), [{ status: 'succeeded', amount: 300, isKnown: true }]);
  t.is(await story.status(), 'cleared');
});

test.serial('money that is no order goes back by itself', async (t) => {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await stage.testDatabase.query('update checkout set amount_minor = 1800 where product_id = $1', [
    story.productId,
  ]);
  await story.pay(CARDS.succeeds);
  await story.tell('checkout.session.completed');
  await eventually(story.status, (status) => status === 'refunded');
  t.deepEqual(await madeThere(story), [{ amount: '1900', reversed: true }]);
  t.deepEqual(await story.events(), []);
});
