import { WorkflowUpdateFailedError } from '@temporalio/client';
import test from 'ava';
import { cancelUpdate } from '../../workflows/contracts.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { eventually } from '../support/eventually.ts';
import { openMoneyStage, type MoneyStage } from '../support/purchases/money-stage.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import { startSubscription } from '../support/subscriptions/subscribing.ts';

let money: MoneyStage;
let shop: MoneyStage['shop'];
let stage: MoneyStage['stage'];

test.before(async () => {
  money = await openMoneyStage();
  ({ shop, stage } = money);
});
test.afterEach.always(() => money.endRenewals());
test.after.always(() => money?.close());

const BEGUN = ['entitlement.created', 'purchase.completed'];
const FAILED = 'subscription.payment_failed';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test.serial('a year of monthly renewals: each is charged, booked and told of once', async (t) => {
  const story = await startSubscription(stage, shop);
  for (let month = 1; month <= 12; month += 1) {
    await story.isWaiting(month);
    await story.passDays(31);
    await story.announced('entitlement.renewed', month);
  }
  t.is(await story.status(), 'active');
  t.is(await story.handle.query('status'), 'active');
  const names = await story.events();
  t.deepEqual(names.slice(0, 2).sort(), BEGUN);
  t.deepEqual(
    names.slice(2),
    Array.from({ length: 12 }, () => 'entitlement.renewed'),
  );
  const booked = await stage.testDatabase.query<{ payments: number; seller: number }>(
    `select count(distinct p.id)::int as payments, sum(e.amount_minor)::int as seller
     from payment p join ledger_entry e on e.payment_id = p.id and e.account = 'seller'
     where p.purchase_id = $1 and p.status = 'succeeded'`,
    [story.purchaseId],
  );
  t.like(booked[0], { payments: 13 });
  t.deepEqual(await story.mails(), []);
});

test.serial(
  'a renewal fails and recovers on day 3: access stays, one mail, one renewal',
  async (t) => {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsRecover });
    const [renewal] = await story.isWaiting(1);
    t.true(renewal! > 28 * DAY_MS && renewal! < 31 * DAY_MS + 3 * HOUR_MS);
    await story.passDays(renewal! / DAY_MS + 0.01);
    await story.reaches('past_due');
    t.deepEqual(await story.mails(), []);
    await story.isWaiting(2);
    await story.passDays(1.1);
    await eventually(story.mails, (mails) => mails.length === 1);
    await story.passDays(2);
    await story.tellOf('invoice.paid');
    await story.reaches('active');
    t.deepEqual((await story.events()).slice(2), [FAILED, FAILED, 'entitlement.renewed']);
    t.deepEqual(await story.mails(), ['renewal_failed']);
  },
);

test.serial(
  'every retry fails: grace ends with the last, access expires, and the actor with it',
  async (t) => {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsFail });
    const [renewal] = await story.isWaiting(1);
    await story.passDays(renewal! / DAY_MS + 0.01);
    await story.reaches('past_due');
    await story.isWaiting(2);
    await story.passDays(8);
    await story.reaches('ended');
    t.is(await story.result(), 'ended');
    t.deepEqual((await story.events()).slice(2), [
      FAILED,
      FAILED,
      FAILED,
      FAILED,
      FAILED,
      'entitlement.expired',
    ]);
    t.deepEqual(await story.mails(), ['renewal_failed']);
    t.false((await story.row()).is_closing);
  },
);

test.serial(
  'a renewal fails on its day and on days 1, 3, 5 and 7: one event each, the last without a next attempt, then access expires',
  async (t) => {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsFail });
    const [renewal] = await story.isWaiting(1);
    await story.passDays(renewal! / DAY_MS + 0.01);
    await story.reaches('past_due');
    const { processor_id: processorId } = await story.row();
    const { periodStart: dueAt, charges } = await shop.processor.readSubscription(processorId);
    const after = (days: number) => new Date(dueAt.getTime() + days * DAY_MS).toISOString();
    for (const [index, days] of [1, 2, 2, 2].entries()) {
      await story.announced(FAILED, index + 1);
      await story.isWaiting(index + 2);
      await story.passDays(days);
      // The processor's messages come twice, and in any order.
      await story.tellOf('invoice.payment_failed');
      await story.tellOf('customer.subscription.updated');
      await story.tellOf('invoice.payment_failed');
    }
    t.is(await story.result(), 'ended');
    const told = Array.from({ length: 5 }, () => FAILED);
    t.deepEqual((await story.events()).slice(2), [...told, 'entitlement.expired']);
    const failed = await stage.testDatabase.query<{ data: Record<string, unknown> }>(
      `select data from event where name = $1 and data->>'purchase_id' = $2 order by created_at, id`,
      [FAILED, story.purchaseId],
    );
    for (const [index, nextDay] of [1, 3, 5, 7, null].entries()) {
      t.deepEqual(failed[index]!.data, {
        purchase_id: story.purchaseId,
        user_id: story.personId,
        product_id: story.productId,
        amount_minor: charges[1]!.amountMinor,
        currency: 'USD',
        next_attempt_at: nextDay === null ? null : after(nextDay),
        access_until: after(nextDay === null ? 7 : 8),
      });
    }
  },
);

test.serial(
  'a card that the bank refuses for good is not tried again: the end is at once',
  async (t) => {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsRefused });
    const [renewal] = await story.isWaiting(1);
    await story.passDays(renewal! / DAY_MS + 0.01);
    t.is(await story.result(), 'ended');
    t.deepEqual((await story.events()).slice(2), [FAILED, 'entitlement.expired']);
    t.deepEqual(await story.mails(), ['renewal_failed']);
  },
);

test.serial(
  'cancelled, resumed before the end, cancelled again: nothing is charged after the end',
  async (t) => {
    const story = await startSubscription(stage, shop);
    await story.isWaiting(1);
    await story.requestChange('cancel');
    await story.reaches('canceling');
    await story.isWaiting(2);
    await story.passDays(10);
    await story.requestChange('resume');
    await story.reaches('active');
    await story.isWaiting(3);
    await story.requestChange('cancel');
    await story.reaches('canceling');
    await story.isWaiting(4);
    await story.passDays(31);
    t.is(await story.result(), 'ended');
    t.deepEqual((await story.events()).slice(2), [
      'entitlement.canceled',
      'entitlement.resumed',
      'entitlement.canceled',
      'entitlement.expired',
    ]);
    const payments = await stage.testDatabase.query(
      'select 1 from payment where purchase_id = $1',
      [story.purchaseId],
    );
    t.is(payments.length, 1);
  },
);

test.serial('a yearly renewal is told of a week before it is charged', async (t) => {
  const story = await startSubscription(stage, shop, { kind: 'yearly' });
  const [reminder] = await story.isWaiting(1);
  t.true(reminder! > 357 * DAY_MS && reminder! <= 359 * DAY_MS);
  await story.passDays(reminder! / DAY_MS + 0.01);
  await eventually(story.mails, (mails) => mails.length === 1);
  t.deepEqual((await story.events()).slice(2), []);
  const [, renewal] = await story.isWaiting(2);
  t.true(renewal! > 7 * DAY_MS - HOUR_MS && renewal! <= 7 * DAY_MS + 3 * HOUR_MS);
  await story.passDays(7.2);
  await story.announced('entitlement.renewed');
  t.deepEqual(await story.mails(), ['renewal_ahead']);
});

test.serial(
  'an operator cancels by an Update, which the row decides, and resumes by none',
  async (t) => {
    const story = await startSubscription(stage, shop);
    await story.isWaiting(1);
    t.is(await story.handle.executeUpdate(cancelUpdate), 'requested');
    await story.reaches('canceling');
    t.is(await story.handle.executeUpdate(cancelUpdate), 'unchanged');
    await t.throwsAsync(story.handle.executeUpdate('resume'), {
      instanceOf: WorkflowUpdateFailedError,
    });
    t.is((await story.row()).status, 'canceling');
  },
);

test.serial('the current period refunded in full ends it at the processor too', async (t) => {
  const story = await startSubscription(stage, shop);
  await story.isWaiting(1);
  await story.refund();
  t.is(await story.result(), 'ended');
  const { is_closing: isClosing, processor_id: processorId } = await story.row();
  t.false(isClosing);
  t.is((await shop.processor.readSubscription(processorId)).status, 'ended');
  const names = await story.events();
  t.deepEqual(names.slice(2), ['purchase.refunded', 'entitlement.refunded']);
});

test.serial(
  'the processor says nothing for three days: the renewal is found all the same',
  async (t) => {
    const story = await startSubscription(stage, shop);
    await story.isWaiting(1);
    await story.passDays(34);
    t.deepEqual((await story.announced('entitlement.renewed')).slice(2), ['entitlement.renewed']);
  },
);

test.serial(
  'the saved queries of the operating page find the subscriptions that they promise',
  async (t) => {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsFail });
    const [renewal] = await story.isWaiting(1);
    await story.passDays(renewal! / DAY_MS + 0.01);
    await story.reaches('past_due');
    const queries = readBlocks('docs/operating.md', 'sql').filter((query) => /subscr/.test(query));
    t.is(queries.length, 4);
    const found = async (query: string) => {
      const filled = query
        .replace('<person id>', story.personId)
        .replace('<yyyy-mm-dd>T<hh:mm>:00Z', new Date(0).toISOString());
      const ids: string[] = [];
      for await (const run of stage.client.workflow.list({ query: filled }))
        ids.push(run.workflowId);
      return ids.filter((id) => id === story.workflowId);
    };
    const [pastDue, ofPerson, stuck, deadLettered] = queries;
    await eventually(
      () => found(pastDue!),
      (ids) => ids.length === 1,
    );
    t.deepEqual(await found(ofPerson!), [story.workflowId]);
    t.deepEqual(await found(stuck!), []);
    t.deepEqual(await found(deadLettered!), []);
  },
);
