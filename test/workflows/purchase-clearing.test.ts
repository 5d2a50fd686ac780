import test from 'ava';
import { UnknownProcessorState } from '../../clients/processor/processor.ts';
import { eventually } from '../support/eventually.ts';
import { openMoneyStage, type MoneyStage } from '../support/purchases/money-stage.ts';
import { startPurchase } from '../support/purchases/purchases.ts';
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
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.succeeds);
  await story.passHours(24.1);
  t.is(await story.result(), 'cleared');
});

test.serial('a fault that quotes a row is retried, and no history keeps the quote', async (t) => {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.succeeds);
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
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.succeeds);
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
    const story = await startPurchase(stage, shop);
    await story.openSession();
    await story.isWaiting(1);
    await story.pay(CARDS.succeeds);
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
