import test from 'ava';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';
import { isOwned } from '../../../../domain/billing/purchases/purchase.repository.ts';
import { askSubscriptionsAgain } from '../../../../domain/billing/processor-inbox/reconcile.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { addProduct } from '../../../support/catalog/scene.ts';
import {
  createSubscriptions,
  DAY_MS,
  type Subscribed,
} from '../../../support/subscriptions/subscriptions.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createSubscriptions({ testDatabase, database });
const { subscribe, hear, eventNames, statusOf, rowOf, payments, refundsOf } = stories;
const accessOf = (subscribed: Subscribed) => readAccess(database.pool, subscribed);

const BEGUN = ['purchase.completed', 'entitlement.created'];
const FAILED = 'subscription.payment_failed';

test('a subscription starts with its first payment: access, purchase.completed and entitlement.created', async (t) => {
  const subscribed = await subscribe();
  t.is(await statusOf(subscribed), 'active');
  t.deepEqual(await eventNames(subscribed), BEGUN);
  const { isActive, type, source, endsAt } = await accessOf(subscribed);
  t.deepEqual(
    { isActive, type, source, endsAt },
    { isActive: true, type: 'subscription', source: subscribed.purchaseId, endsAt: null },
  );
  t.deepEqual(await stories.messagesTo(subscribed), ['started']);
  t.true(await isOwned(database.em(), subscribed));
});

test('each renewal is booked once and sends entitlement.renewed, however often it is read', async (t) => {
  const subscribed = await subscribe();
  for (let round = 1; round <= 2; round += 1) {
    await hear(subscribed, { begun: -61, renewals: 2 });
  }
  t.deepEqual(await eventNames(subscribed), [
    ...BEGUN,
    'entitlement.renewed',
    'entitlement.renewed',
  ]);
  const found = await payments(subscribed);
  t.deepEqual(
    found.map(({ status, gross }) => [status, gross]),
    [
      ['succeeded', 1_900],
      ['succeeded', 1_900],
      ['succeeded', 1_900],
    ],
  );
  const booked = await testDatabase.query<{ seller: number; all: number }>(
    `select coalesce(sum(amount_minor) filter (where account = 'seller'), 0)::int as seller,
       sum(amount_minor)::int as all
     from ledger_entry where payment_id = any($1::text[])`,
    [found.map(({ id }) => id)],
  );
  t.deepEqual(booked, [{ seller: 3 * 1_710, all: 0 }]);
  t.is((await accessOf(subscribed)).endsAt, null);
});

test('the same reading many at once has one effect', async (t) => {
  const subscribed = await subscribe();
  const said = { begun: -31, renewals: 1 };
  await Promise.all(Array.from({ length: 6 }, () => hear(subscribed, said)));
  t.is((await payments(subscribed)).length, 2);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, 'entitlement.renewed']);
});

test('an older reading never wins over a newer one', async (t) => {
  const subscribed = await subscribe();
  const older = await stories.fenceFor(subscribed);
  await hear(subscribed, { isCancelAtPeriodEnd: true });
  await hear(subscribed, {}, older);
  t.is(await statusOf(subscribed), 'canceling');
});

test('a cancelled subscription keeps active: true until the end of its period, and says so', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed);
  t.is(await stories.requestChange(subscribed, 'cancel'), 'requested');
  t.is(await stories.requestChange(subscribed, 'cancel'), 'unchanged');
  await hear(subscribed, { isCancelAtPeriodEnd: true });
  t.is(await statusOf(subscribed), 'canceling');
  const { isActive, endsAt } = await accessOf(subscribed);
  t.true(isActive);
  t.true(Math.abs(endsAt!.getTime() - Date.now() - 29 * DAY_MS) < 60_000);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, 'entitlement.canceled']);
  const [event] = await testDatabase.query<{ data: Record<string, unknown> }>(
    `select data from event where product_id = $1 and name = 'entitlement.canceled'`,
    [subscribed.productId],
  );
  t.like(event!.data, { active: true, ends_at: endsAt!.toISOString() });
  t.true(await isOwned(database.em(), subscribed));
});

test('cancelled twice at once: one request, one event', async (t) => {
  const subscribed = await subscribe();
  const asked = await Promise.all(
    Array.from({ length: 6 }, () => stories.requestChange(subscribed, 'cancel')),
  );
  t.is(asked.filter((answer) => answer === 'requested').length, 1);
  await hear(subscribed, { isCancelAtPeriodEnd: true });
  await hear(subscribed, { isCancelAtPeriodEnd: true });
  t.deepEqual(await eventNames(subscribed), [...BEGUN, 'entitlement.canceled']);
});

test('cancelled, then resumed before its end: entitlement.resumed, and access without an end', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { isCancelAtPeriodEnd: true });
  t.is(await stories.requestChange(subscribed, 'resume'), 'requested');
  await hear(subscribed);
  t.is(await statusOf(subscribed), 'active');
  t.is((await accessOf(subscribed)).endsAt, null);
  t.deepEqual(await eventNames(subscribed), [
    ...BEGUN,
    'entitlement.canceled',
    'entitlement.resumed',
  ]);
});

test('nobody resumes what has ended, and its product may be bought again', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -31 });
  await hear(subscribed, { begun: -31, isCancelAtPeriodEnd: true, endedAt: -1 });
  t.is(await statusOf(subscribed), 'ended');
  t.is(await stories.requestChange(subscribed, 'resume'), 'unchanged');
  t.is(await stories.requestChange(subscribed, 'cancel'), 'unchanged');
  t.false((await accessOf(subscribed)).isActive);
  t.is((await eventNames(subscribed)).at(-1), 'entitlement.expired');
  t.false(await isOwned(database.em(), subscribed));
});

test('while the first payment clears there is nothing to cancel yet', async (t) => {
  const sale = await stories.newSale(await addProduct(testDatabase, { kind: 'monthly' }));
  await stories.settle(sale, { status: 'clearing', subscriptionId: `sim_${sale.purchaseId}` });
  const row = await rowOf(sale);
  const known = { subscriptionId: String(row['id']), processorId: 'x', anchor: new Date() };
  const subscribed = { ...sale, ...known };
  t.is(row['status'], 'incomplete');
  t.is(await stories.requestChange(subscribed, 'cancel'), 'unchanged');
  t.false((await accessOf(subscribed)).isActive);
  t.true(await isOwned(database.em(), subscribed));
});

test('a renewal fails: past due with grace, access stays, one event; the mail waits for the next try', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -30.5 });
  await hear(subscribed, { begun: -30.5, retryIn: 1 });
  t.is(await statusOf(subscribed), 'past_due');
  const { isActive, endsAt } = await accessOf(subscribed);
  t.true(isActive);
  t.true(Math.abs(endsAt!.getTime() - Date.now() - 7.5 * DAY_MS) < 60_000);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED]);
  t.deepEqual(await stories.mailsTo(subscribed), []);
  await hear(subscribed, { begun: -30.5, renewals: 1 });
  t.is(await statusOf(subscribed), 'active');
  t.is((await accessOf(subscribed)).endsAt, null);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.renewed']);
  t.deepEqual(await stories.mailsTo(subscribed), []);
});

test('grace ends with the answer of the last try: access expires, and it is cancelled at the processor', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -37, retryIn: 1 });
  await hear(subscribed, { begun: -37, retryIn: null });
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
  t.false((await accessOf(subscribed)).isActive);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.expired']);
  t.is((await stories.messagesTo(subscribed)).at(-1), 'close');
  t.deepEqual(await stories.mailsTo(subscribed), ['renewal_failed']);
});

test('grace ends at the latest on day 8, whatever the processor still means to try', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -38, retryIn: 2 });
  t.is(await statusOf(subscribed), 'ended');
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.expired']);
});

test('a renewal that arrives after the end goes back by itself and opens nothing', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -38, retryIn: null });
  await hear(subscribed, { begun: -38, renewals: 1 });
  t.is(await statusOf(subscribed), 'ended');
  const [, late] = await payments(subscribed);
  t.deepEqual(await refundsOf(subscribed), [
    { paymentId: late!.id, amount: 1_900, requestedBy: null },
  ]);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.expired']);
  t.false((await accessOf(subscribed)).isActive);
  await hear(subscribed, { begun: -38, renewals: 1, endedAt: 0 });
  t.is((await refundsOf(subscribed)).length, 1);
  t.like(await rowOf(subscribed), { is_closing: false });
});

test('expiry and renewal in the same second: the later state wins', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -31, retryIn: 1 });
  await Promise.all([
    hear(subscribed, { begun: -31, renewals: 1 }),
    hear(subscribed, { begun: -31, renewals: 1 }),
  ]);
  t.true((await accessOf(subscribed)).isActive);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.renewed']);
});

test('a renewal of another amount is never a renewal: refund, alert, and the end', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, {
    begun: -31,
    renewals: 1,
    change: (charges) => (charges[1]!.amountMinor = 2_900),
  });
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
  t.like(await refundsOf(subscribed), [{ amount: 2_900, requestedBy: null }]);
  const alerts = await testDatabase.query('select kind from alert where subject = $1', [
    subscribed.subscriptionId,
  ]);
  t.deepEqual(alerts, [{ kind: 'amount_differs' }]);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, 'entitlement.expired']);
});

test('two subscriptions at once for one product: the second is quarantined, refunded and ended', async (t) => {
  const first = await subscribe();
  const again = await testDatabase.query<{ id: string }>(
    `with c as (insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor,
        currency, expires_at)
       select gen_random_uuid(), person_id, product_id, offer_id, price_id, amount_minor, currency,
         expires_at from checkout where id = (select checkout_id from purchase where id = $1)
       returning *),
     p as (insert into purchase (id, checkout_id, person_id, product_id, service_source)
       select 'pay_2' || $1, id, person_id, product_id, 'store' from c returning *)
     insert into subscription (id, purchase_id, person_id, product_id, price_id, amount_minor,
       currency, billing_interval)
     select 'sub_2' || $1, p.id, p.person_id, p.product_id, c.price_id, c.amount_minor, c.currency,
       'month' from p, c returning purchase_id as id`,
    [first.purchaseId],
  );
  const second = { ...first, purchaseId: again[0]!.id };
  await stories.settle(second, { subscriptionId: 'sim_second', paymentIntentId: 'pi_second' });
  t.like(await rowOf(second), { status: 'ended', is_closing: true });
  t.like(await refundsOf(second), [{ amount: 1_900, requestedBy: null }]);
  t.is(await statusOf(first), 'active');
  t.deepEqual(await eventNames(first), BEGUN);
});

test('a yearly renewal is told of a week before, once', async (t) => {
  const early = await subscribe('yearly');
  await hear(early, { begun: -22 });
  t.deepEqual(await stories.mailsTo(early), []);
  const ahead = await subscribe('yearly');
  await hear(ahead, { begun: -24 });
  await hear(ahead, { begun: -24 });
  t.deepEqual(await stories.mailsTo(ahead), ['renewal_ahead']);
  const monthly = await subscribe('monthly');
  await hear(monthly, { begun: -24 });
  t.deepEqual(await stories.mailsTo(monthly), []);
});

test('one whose checkout came to nothing is asked about once more, and not every hour for ever', async (t) => {
  const sale = await stories.newSale(await addProduct(testDatabase, { kind: 'monthly' }));
  await stories.settle(sale, { status: 'expired', paymentIntentId: null });
  t.like(await rowOf(sale), { status: 'ended', is_closing: false });
  const overdue = `update subscription set ask_again_at = gatehouse_now() where purchase_id = $1`;
  await testDatabase.query(overdue, [sale.purchaseId]);
  await database.transaction(askSubscriptionsAgain);
  t.like(await rowOf(sale), { ask_again_at: null });
});
