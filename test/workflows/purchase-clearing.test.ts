import test from 'ava';
import { UnknownProcessorState } from '../../clients/processor/processor.ts';
import { type CheckoutState } from '../../clients/processor/checkout-state.ts';
import { eventually } from '../support/eventually.ts';
import { openMoneyStage, type MoneyStage } from '../support/purchases/money-stage.ts';
import { startPurchase } from '../support/purchases/purchases.ts';
import {
  alertsAbout,
  passHoursUnwatched,
  reconcileNow,
  untilAnswered,
  untilNothingClears,
} from '../support/purchases/reconciling.ts';
import { CARDS } from '../support/purchases/simulator.ts';

let money: MoneyStage;
let shop: MoneyStage['shop'];
let stage: MoneyStage['stage'];
let told: MoneyStage['told'];

test.before(async () => {
  money = await openMoneyStage();
  ({ shop, stage, told } = money);
});
test.afterEach.always(() => money.restore());
test.after.always(() => money?.close());

/** Until an actor is woken anew, what ran before may still be read as the latest run. */
const reaches = (story: Awaited<ReturnType<typeof startPurchase>>, wanted: string) =>
  eventually(story.status, (status) => status === wanted);

const answer = (changes: Partial<CheckoutState>) => async (id: string) => ({
  ...(await shop.processor.readCheckout(id)),
  ...changes,
});

/** A buyer whose first card was declined: nobody waits for the processor any more. */
async function startUnwatched() {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.declined);
  await story.tell('payment_intent.payment_failed');
  await story.result();
  return story;
}

/** Paid at the processor, whose words the actor awaits. */
async function startPaid() {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.succeeds);
  return story;
}

/** One whose session had expired when the processor was asked. */
async function startExpired() {
  const story = await startPaid();
  told.readCheckout = answer({ status: 'expired' });
  await story.tell('checkout.session.expired');
  await story.result();
  money.restore();
  return story;
}

test.serial('a payment whose event was lost is found, and asked about once', async (t) => {
  const story = await startUnwatched();
  await story.pay(CARDS.succeeds);
  t.is((await reconcileNow(stage)).asked, 0, 'it was asked a moment ago');
  await passHoursUnwatched(stage, 25.1);
  t.true((await reconcileNow(stage)).asked >= 1);
  await reaches(story, 'cleared');
  await eventually(story.events, (names) => names.length === 2);
  t.deepEqual((await story.events()).toSorted(), ['entitlement.created', 'purchase.completed']);
  await passHoursUnwatched(stage, 10_000);
  await reconcileNow(stage);
  const told = await stage.testDatabase.query(
    `select 1 from outbox where workflow_id = $1 and message->>'kind' = 'reconcile'`,
    [story.workflowId],
  );
  t.is(told.length, 1, 'what is cleared needs no more asking');
});

test.serial('a session that expired here, but was paid there, ends in an order', async (t) => {
  const story = await startExpired();
  t.is(await story.status(), 'canceled');
  await passHoursUnwatched(stage, 24.1);
  await reconcileNow(stage);
  await reaches(story, 'cleared');
  await eventually(story.events, (names) => names.length === 2);
  t.pass();
});

test.serial('late money in another amount is quarantined, and operators are told', async (t) => {
  const story = await startExpired();
  told.readCheckout = answer({ amountMinor: 1_800 });
  await passHoursUnwatched(stage, 24.1);
  await reconcileNow(stage);
  await reaches(story, 'refunded');
  t.deepEqual(await story.events(), []);
  t.like(await alertsAbout(stage, story.purchaseId), [{ kind: 'amount_differs', times: 1 }]);
});

test.serial(
  'of two checkouts that are both paid the second is refunded by itself: one entitlement',
  async (t) => {
    const story = await startExpired();
    const again = await startPurchase(stage, shop, story);
    await again.openSession();
    await again.isWaiting(1);
    await again.pay(CARDS.succeeds);
    await again.tell('checkout.session.completed');
    t.is(await again.result(), 'cleared');
    await passHoursUnwatched(stage, 24.1);
    await reconcileNow(stage);
    await reaches(story, 'refunded');
    t.deepEqual(await story.refunds(), [{ status: 'succeeded', amount: 1_900, isKnown: true }]);
    t.is(await again.status(), 'cleared');
    t.deepEqual((await story.events()).toSorted(), ['entitlement.created', 'purchase.completed']);
  },
);

test.serial('what has been clearing for two weeks alerts until it clears', async (t) => {
  const story = await startPaid();
  told.readCheckout = answer({ status: 'clearing' });
  await story.tell('checkout.session.completed');
  await reaches(story, 'clearing');
  await passHoursUnwatched(stage, 13 * 24);
  await reconcileNow(stage);
  await untilAnswered(stage, story.purchaseId);
  t.deepEqual(await alertsAbout(stage, story.purchaseId), []);
  await passHoursUnwatched(stage, 2 * 24);
  await reconcileNow(stage);
  t.like(await alertsAbout(stage, story.purchaseId), [
    { kind: 'clearing_stuck', resolved_at: null },
  ]);
  await untilAnswered(stage, story.purchaseId);
  money.restore();
  await passHoursUnwatched(stage, 24);
  await reconcileNow(stage);
  await reaches(story, 'cleared');
  const [alert] = await alertsAbout(stage, story.purchaseId);
  t.truthy(alert?.resolved_at);
});

test.serial('what reconciliation finds clearing is followed again until it clears', async (t) => {
  const story = await startUnwatched();
  await story.pay(CARDS.clearsLate);
  await passHoursUnwatched(stage, 25.1);
  await reconcileNow(stage);
  await reaches(story, 'clearing');
  await story.isWaiting(1);
  t.deepEqual(await story.events(), [], 'no access until it clears');
  await passHoursUnwatched(stage, 48);
  await untilNothingClears(stage);
  await story.passHours(6.01);
  t.is(await story.result(), 'cleared');
});

test.serial('a purchase clears once, however many messages the processor sends', async (t) => {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.pay(CARDS.succeeds);
  const types = ['checkout.session.completed', 'payment_intent.succeeded', 'charge.succeeded'];
  await Promise.all([...types, ...types].map(story.tell));
  t.is(await story.result(), 'cleared');
  const isHandled = async () =>
    stage.testDatabase.query(
      'select 1 from processor_event where purchase_id = $1 and handled_at is null',
      [story.purchaseId],
    );
  await eventually(isHandled, (open) => open.length === 0);
  t.deepEqual((await story.events()).sort(), ['entitlement.created', 'purchase.completed']);
  const grants = await stage.testDatabase.query('select 1 from access_grant where source = $1', [
    story.purchaseId,
  ]);
  t.is(grants.length, 1);
});

test.serial('a declined card ends the actor, a later success starts it again', async (t) => {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.declined);
  await story.tell('payment_intent.payment_failed');
  t.is(await story.result(), 'declined');
  t.deepEqual(await story.events(), []);

  await story.pay(CARDS.succeeds);
  await story.tell('checkout.session.completed');
  await eventually(story.status, (status) => status === 'cleared');
  t.is(await story.result(), 'cleared');
  t.deepEqual((await story.events()).sort(), ['entitlement.created', 'purchase.completed']);
});

test.serial('a checkout that never reached the processor is abandoned with its time', async (t) => {
  const story = await startPurchase(stage, shop);
  const [timer] = await story.isWaiting(1);
  t.true(timer! > 24 * 3_600_000 && timer! <= 24 * 3_600_000 + 60_000);
  t.is(await story.status(), 'pending');
  await story.passHours(24.1);
  t.is(await story.result(), 'canceled');
  t.is(await story.status(), 'canceled');
});

test.serial('the processor is asked without a message: none has to arrive', async (t) => {
  const story = await startPaid();
  await story.passHours(24.1);
  t.is(await story.result(), 'cleared');
});

test.serial('a fault that quotes a row is retried, and no history keeps the quote', async (t) => {
  const story = await startPaid();
  told.readCheckout = async () => {
    money.restore();
    const [row] = await stage.testDatabase.query<never>(`select 'hunter2'::integer`);
    return row!;
  };
  await story.tell('checkout.session.completed');
  t.is(await story.result(), 'cleared');
  const history = JSON.stringify(await story.handle.fetchHistory());
  t.regex(history, /22P02/);
  t.notRegex(history, /hunter2/);
});

test.serial('money that is under way is asked after every six hours', async (t) => {
  const story = await startPaid();
  told.readCheckout = async (id) => ({
    ...(await shop.processor.readCheckout(id)),
    status: 'clearing',
  });
  await story.tell('checkout.session.completed');
  const [, timer] = await story.isWaiting(2);
  t.is(timer, 6 * 3_600_000);
  t.is(await story.status(), 'clearing');
  t.is(await story.handle.query('status'), 'clearing');
  t.deepEqual(await story.events(), []);
  money.restore();
  await story.passHours(6.1);
  t.is(await story.result(), 'cleared');
});

test.serial(
  'words that are not understood are dead-lettered, the next message is received',
  async (t) => {
    const story = await startPaid();
    told.readCheckout = () =>
      Promise.reject(new UnknownProcessorState('checkout session: marvellous'));
    await story.tell('checkout.session.completed');
    await story.isWaiting(2);
    t.is(await story.handle.query('status'), 'dead_lettered');
    const deadLetters = () =>
      stage.testDatabase.query<{ dead_letter_reason: string; handled_at: Date | null }>(
        'select dead_letter_reason, handled_at from processor_event where purchase_id = $1 order by received_at',
        [story.purchaseId],
      );
    t.like((await deadLetters())[0], {
      dead_letter_reason: 'checkout session: marvellous',
      handled_at: null,
    });
    money.restore();
    await story.tell('payment_intent.succeeded');
    t.is(await story.result(), 'cleared');
    t.true((await deadLetters()).every(({ handled_at }) => handled_at !== null));
  },
);
