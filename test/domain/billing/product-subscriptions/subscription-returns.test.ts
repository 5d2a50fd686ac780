import test from 'ava';
import { withdrawAllAccess } from '../../../../domain/entitlements/withdraw-all-access.repository.ts';
import { isOwned } from '../../../../domain/billing/purchases/purchase.repository.ts';
import {
  closeSubscriptionsOf,
  closeSubscriptionsOfRemoved,
} from '../../../../domain/billing/product-subscriptions/subscription.repository.ts';
import { findSale } from '../../../../domain/billing/purchases/seller-purchases.repository.ts';
import { requestRefund } from '../../../../domain/billing/refunds/request-refund.repository.ts';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  createSubscriptions,
  type Subscribed,
  DAY_MS,
} from '../../../support/subscriptions/subscriptions.ts';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createSubscriptions({ testDatabase, database });
const { subscribe, hear, eventNames, rowOf, payments, purchaseOf, isActive, statusOf, refundsOf } =
  stories;

const BEGUN = ['purchase.completed', 'entitlement.created'];
const FAILED = 'subscription.payment_failed';

async function renewed(): Promise<Subscribed> {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -31, renewals: 1 });
  return subscribed;
}

async function refund(subscribed: Subscribed, index: number, amountMinor = 1_900) {
  const { id: paymentId } = (await payments(subscribed))[index]!;
  await stories.tell(subscribed, [{ paymentId, amountMinor }]);
  return paymentId;
}

async function lastEvent({ productId }: Subscribed, name: string) {
  const [event] = await testDatabase.query<{ data: Record<string, unknown> }>(
    'select data from event where product_id = $1 and name = $2 order by created_at desc limit 1',
    [productId, name],
  );
  return event?.data;
}

test("the current period's charge refunded in full withdraws access and cancels at the processor", async (t) => {
  const subscribed = await renewed();
  await refund(subscribed, 1);
  t.false(await isActive(subscribed));
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
  t.like(await purchaseOf(subscribed), { status: 'refunded' });
  t.is((await stories.messagesTo(subscribed)).at(-1), 'close');
  t.deepEqual(await eventNames(subscribed), [
    ...BEGUN,
    'entitlement.renewed',
    'purchase.refunded',
    'entitlement.refunded',
  ]);
  const told = await lastEvent(subscribed, 'purchase.refunded');
  t.like(told, { gross_minor: 1_900, refunded_minor: 1_900, chargeback: false });
  t.false(Object.hasOwn(told!, 'payment_id'));
  t.false(await isOwned(database.em(), subscribed));
});

test('so does a first payment that was refunded before its period is known', async (t) => {
  const subscribed = await subscribe();
  await refund(subscribed, 0);
  t.false(await isActive(subscribed));
  await hear(subscribed, { endedAt: 0 });
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: false });
  t.is((await eventNames(subscribed)).at(-1), 'entitlement.refunded');
});

test("an older period's payment refunded is only booked: purchase.refunded with its payment_id", async (t) => {
  const subscribed = await renewed();
  const paymentId = await refund(subscribed, 0);
  t.true(await isActive(subscribed));
  t.like(await rowOf(subscribed), { status: 'active', is_closing: false });
  t.like(await purchaseOf(subscribed), { status: 'cleared', refunded_minor: '1900' });
  t.deepEqual(await eventNames(subscribed), [...BEGUN, 'entitlement.renewed', 'purchase.refunded']);
  t.like(await lastEvent(subscribed, 'purchase.refunded'), {
    payment_id: paymentId,
    refunded_minor: 1_900,
  });
  t.like(await stories.balances(subscribed), { seller: 1_710, platform: 190, buyer: -1_900 });
});

test('a part of the current period is told of, and access stays until the parts make the whole', async (t) => {
  const subscribed = await renewed();
  await refund(subscribed, 1, 900);
  t.true(await isActive(subscribed));
  t.like(await lastEvent(subscribed, 'purchase.partially_refunded'), { refunded_minor: 900 });
  await refund(subscribed, 1, 1_000);
  t.false(await isActive(subscribed));
  t.like(await lastEvent(subscribed, 'purchase.refunded'), { refunded_minor: 1_900 });
});

test('a dispute takes the current period only when it is lost, and is told of as a chargeback', async (t) => {
  const subscribed = await subscribe();
  await stories.dispute(subscribed, { status: 'open' });
  t.true(await isActive(subscribed));
  await stories.dispute(subscribed, { status: 'lost' });
  t.false(await isActive(subscribed));
  t.like(await lastEvent(subscribed, 'purchase.refunded'), { chargeback: true });
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
});

test('a dispute lost, then won on appeal: access is back until the end of what was paid for', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed);
  await stories.dispute(subscribed, { status: 'lost' });
  await stories.dispute(subscribed, { status: 'won' });
  t.true(await isActive(subscribed));
  t.is((await eventNames(subscribed)).at(-1), 'entitlement.created');
  const told = await lastEvent(subscribed, 'entitlement.created');
  const row = await rowOf(subscribed);
  t.is(told!['ends_at'], (row['period_end'] as Date).toISOString());
  t.is(row['status'], 'ended');
});

test('refund and lost dispute of one period: one withdrawal, one entitlement.refunded', async (t) => {
  const subscribed = await subscribe();
  await refund(subscribed, 0);
  await stories.dispute(subscribed, { status: 'lost' });
  const names = await eventNames(subscribed);
  t.is(names.filter((name) => name === 'entitlement.refunded').length, 1);
  t.is(names.filter((name) => name === 'purchase.refunded').length, 1);
});

test('what was charged after the end and goes back is told to nobody', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -38, retryIn: null });
  await hear(subscribed, { begun: -38, renewals: 1 });
  await refund(subscribed, 1);
  t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, 'entitlement.expired']);
  t.like(await purchaseOf(subscribed), { status: 'cleared' });
});

test('a removed product: its subscriptions end, are cancelled at the processor, and their access is taken', async (t) => {
  const subscribed = await subscribe();
  const remove = `update product set state = 'removed' where id = $1`;
  await testDatabase.query(remove, [subscribed.productId]);
  while ((await database.transaction(closeSubscriptionsOfRemoved)) > 0);
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
  t.is((await stories.messagesTo(subscribed)).at(-1), 'close');
});

test('a deleted account: billing ends first, and a charge that comes all the same goes back', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed);
  await database.transaction(async (em) => {
    await closeSubscriptionsOf(em, subscribed.personId);
    await withdrawAllAccess(em, subscribed.personId);
  });
  t.like(await rowOf(subscribed), { status: 'ended', is_closing: true });
  t.is((await eventNames(subscribed)).at(-1), 'entitlement.canceled');
  await hear(subscribed, { begun: -1, renewals: 1 });
  t.like(await stories.refundsOf(subscribed), [{ amount: 1_900 }]);
  t.false(await isActive(subscribed));
});

test('late money for what has ended before it began goes back', async (t) => {
  const subscribed = await subscribe();
  const sql = `select 1 from subscription where id = $1 and status = 'active'`;
  t.is((await testDatabase.query(sql, [subscribed.subscriptionId])).length, 1);
  await database.transaction((em) => closeSubscriptionsOf(em, subscribed.personId));
  const again = await stories.newSale({
    ...subscribed,
    price: await priceOf(subscribed),
  });
  await stories.settle(again, { status: 'expired' });
  t.like(await rowOf(again), { status: 'ended', is_closing: false });
  await stories.settle(again, { subscriptionId: `sim_${again.purchaseId}` });
  t.like(await purchaseOf(again), { status: 'quarantined' });
  t.like(await rowOf(again), { status: 'ended', is_closing: true });
  t.like(await stories.refundsOf(again), [{ amount: 1_900, requestedBy: null }]);
});

async function priceOf({ productId }: Subscribed) {
  const [price] = await testDatabase.query<{ priceId: string; offerId: string }>(
    `select r.id as "priceId", o.id as "offerId" from offer o join price r on r.offer_id = o.id
     where o.product_id = $1`,
    [productId],
  );
  const agreed = { amountMinor: 1_900, currency: 'USD', isBase: true, kind: 'monthly' as const };
  return { ...price!, ...agreed };
}

test('a renewal that was on its way and did not come cannot go back: the charge before it can', async (t) => {
  const subscribed = await subscribe();
  const { purchaseId, personId, productId } = subscribed;
  const say = (status: 'clearing' | 'open') => (charges: { status: string }[]) =>
    void (charges.at(-1)!.status = status);
  await hear(subscribed, { begun: -31, renewals: 1, change: say('clearing') });
  const [first, second] = await payments(subscribed);
  const intent = { refundId: newPublicId('re_'), purchaseId, paymentId: second!.id };
  const asked = {
    ...intent,
    amountMinor: 1_900,
    requestedBy: personId,
    reason: 'duplicate',
  } as const;
  t.deepEqual(await database.transaction((em) => requestRefund(em, asked)), { isNew: true });
  await hear(subscribed, { begun: -31, renewals: 1, status: 'past_due', change: say('open') });
  t.is((await payments(subscribed))[1]!.status, 'failed');
  const sale = await findSale(database.em(), { productId, purchaseId });
  t.like(sale, { paymentId: first!.id, refundableMinor: 1_900 });
  t.deepEqual(
    sale!.refunds.map(({ status }) => status),
    ['canceled'],
  );
});

const accessOf = ({ productId, personId }: Subscribed) =>
  readAccess(database.pool, { productId, personId });

test('the end of grace and a renewal in the same second: one of both, told once', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const subscribed = await subscribe();
    await hear(subscribed, { begun: -37, retryIn: 1 });
    const [before, after] = [
      await stories.fenceFor(subscribed),
      await stories.fenceFor(subscribed),
    ];
    await Promise.all([
      hear(subscribed, { begun: -37, retryIn: null }, before),
      hear(subscribed, { begun: -37, renewals: 1 }, after),
    ]);
    const { isActive } = await accessOf(subscribed);
    const told = isActive ? 'entitlement.renewed' : 'entitlement.expired';
    t.deepEqual(await eventNames(subscribed), [...BEGUN, FAILED, told]);
    t.is((await refundsOf(subscribed)).length, isActive ? 0 : 1, 'an order, or it goes back');
  }
});

test('a renewal that beats the cancellation is paid for: it ends a period later', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -29, isCancelAtPeriodEnd: true });
  const first = await accessOf(subscribed);
  await hear(subscribed, { begun: -29, renewals: 1, isCancelAtPeriodEnd: true });
  t.is(await statusOf(subscribed), 'canceling');
  const { isActive, endsAt } = await accessOf(subscribed);
  t.true(isActive);
  t.is(endsAt!.getTime() - first.endsAt!.getTime(), 30 * DAY_MS);
  t.deepEqual(await refundsOf(subscribed), []);
  t.deepEqual(await eventNames(subscribed), [
    ...BEGUN,
    'entitlement.canceled',
    'entitlement.renewed',
    'entitlement.canceled',
  ]);
});
