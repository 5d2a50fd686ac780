import test from 'ava';
import { eventually } from '../support/eventually.ts';
import { CARDS, startShop, type Shop } from '../support/purchases/simulator.ts';
import { createCalendar, dayOf, subscribe, type Subscribed } from '../support/purchases/billing.ts';

const DAY_MS = 86_400_000;
// A thousand take some seconds, on a busy machine a minute.
const TIMEOUT_MS = 110_000;

let shop: Shop;
let calendar: ReturnType<typeof createCalendar>;
test.before(async () => {
  shop = await startShop();
  calendar = createCalendar(shop);
});
test.after.always(() => shop.close());

const paidOf = (story: Subscribed) =>
  story.until(({ charges }) => charges.every(({ status }) => status === 'paid'));

/** Only the clock moves on, so the next one of them may be years away. */
async function goToNext(isMeant: (day: Date) => boolean): Promise<Date> {
  const day = new Date(`${dayOf(await calendar.now())}T12:00:00Z`);
  do day.setUTCDate(day.getUTCDate() + 1);
  while (!isMeant(day));
  await calendar.goTo(day);
  return day;
}

const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

test.serial('a subscription begins with its first period paid', async (t) => {
  const story = await subscribe(shop);
  const reading = await story.read();
  t.like(reading, { status: 'active', isCancelAtPeriodEnd: false, endedAt: null });
  const [first] = reading.charges;
  t.is(reading.charges.length, 1);
  t.like(first, { amountMinor: 1_250, currency: 'USD', status: 'paid', isFirst: true });
  t.deepEqual([first!.periodStart, first!.periodEnd], [reading.periodStart, reading.periodEnd]);
  const checkout = await shop.processor.readCheckout(story.sessionId);
  t.like(checkout, { status: 'paid', paymentIntentId: first!.paymentIntentId });
  t.deepEqual(await story.events(), ['customer.subscription.created', 'invoice.paid']);
  const { rawBody, signature } = await shop.receiver.wait('invoice.paid', story.checkoutId);
  const { subscriptionId, purchaseId } = story;
  t.like(shop.processor.readEvent(rawBody, signature), { subscriptionId, purchaseId });
});

test.serial('a year of monthly renewals passes as fast as the clock is moved', async (t) => {
  const story = await subscribe(shop);
  const { periodStart } = await story.read();
  await calendar.passDays(366);
  const year = await story.until(({ charges }) => charges.length === 13);
  t.is(year.status, 'active');
  t.true(year.charges.every(({ status, attempts }) => status === 'paid' && attempts === 1));
  t.is(new Set(year.charges.map(({ paymentIntentId }) => paymentIntentId)).size, 13);
  t.deepEqual(year.charges.map(({ isFirst }) => isFirst).indexOf(false), 1);
  for (const [month, charge] of year.charges.entries()) {
    const next = year.charges[month + 1];
    t.deepEqual(charge.periodEnd, next?.periodStart ?? year.periodEnd);
  }
  t.is(year.periodStart.getUTCFullYear(), periodStart.getUTCFullYear() + 1);
  t.is((await story.events()).filter((type) => type === 'invoice.paid').length, 13);
});

test.serial('who begins on the 31st renews on the last day of shorter months', async (t) => {
  await goToNext((day) => !isLeap(day.getUTCFullYear()) && dayOf(day).endsWith('-01-31'));
  const story = await subscribe(shop);
  await calendar.passDays(125);
  const { charges, periodEnd } = await story.until((reading) => reading.charges.length === 5);
  t.deepEqual(
    [...charges.map(({ periodStart }) => periodStart), periodEnd].map((at) => dayOf(at).slice(5)),
    ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30'],
  );
});

test.serial('a year that begins on 29 February ends on 28 February, until the next', async (t) => {
  await goToNext((day) => dayOf(day).endsWith('-02-29'));
  const story = await subscribe(shop, { interval: 'year' });
  await calendar.passDays(4 * 365 + 2);
  const { charges } = await story.until((reading) => reading.charges.length === 5);
  t.deepEqual(
    charges.map(({ periodStart }) => dayOf(periodStart).slice(5)),
    ['02-29', '02-28', '02-28', '02-28', '02-29'],
  );
});

test.serial(
  'a renewal that fails is tried again on days 1, 3, 5 and 7, then it ends',
  async (t) => {
    const story = await subscribe(shop, { card: CARDS.renewalsFail });
    const { periodEnd: due } = await story.read();
    const after = (days: number) => new Date(due.getTime() + days * DAY_MS);
    for (const [index, days] of [0, 1, 3, 5].entries()) {
      await calendar.goTo(after(days));
      const attempts = index + 1;
      const failed = await story.until(
        ({ charges, status }) => charges[1]?.attempts === attempts && status === 'past_due',
      );
      t.deepEqual(failed.periodStart, due, 'the period has begun all the same');
      const nextAttemptAt = after([1, 3, 5, 7][index]!);
      t.like(failed.charges.at(-1), { status: 'open', isFirst: false, nextAttemptAt });
    }
    await calendar.goTo(after(7));
    const over = await story.until(({ status }) => status === 'ended');
    t.deepEqual(over.endedAt, after(7));
    t.like(over.charges.at(-1), { status: 'void', attempts: 5, nextAttemptAt: null });
    const events = await story.events();
    t.is(events.filter((type) => type === 'invoice.payment_failed').length, 5);
    t.is(events.at(-1), 'customer.subscription.deleted');
    await calendar.passDays(62);
    await calendar.isQuiet();
    t.is((await story.read()).charges.length, 2, 'nothing is billed after the end');
  },
);

test.serial('the dates of the tries are the same when nobody looked in between', async (t) => {
  const story = await subscribe(shop, { card: CARDS.renewalsFail });
  const { periodEnd: due } = await story.read();
  await calendar.passDays(90);
  const over = await story.until(({ status }) => status === 'ended');
  t.deepEqual(over.endedAt, new Date(due.getTime() + 7 * DAY_MS));
  t.is(over.charges.length, 2);
});

test.serial('a renewal that recovers at its second retry goes on as if nothing was', async (t) => {
  const story = await subscribe(shop, { card: CARDS.renewalsRecover });
  const { periodEnd: due } = await story.read();
  await calendar.goTo(new Date(due.getTime() + 1 * DAY_MS));
  await story.until(({ status, charges }) => status === 'past_due' && charges[1]?.attempts === 2);
  await calendar.goTo(new Date(due.getTime() + 3 * DAY_MS));
  const back = await story.until(({ status }) => status === 'active');
  t.like(back.charges[1], { status: 'paid', attempts: 3, nextAttemptAt: null });
  t.deepEqual(back.periodStart, due);
  t.deepEqual((await story.events()).slice(2), [
    'customer.subscription.updated',
    'invoice.payment_failed',
    'customer.subscription.updated',
    'invoice.payment_failed',
    'invoice.paid',
    'customer.subscription.updated',
  ]);
});

test.serial('a card that is refused for good is not tried again', async (t) => {
  const story = await subscribe(shop, { card: CARDS.renewalsRefused });
  const { periodEnd: due } = await story.read();
  await calendar.goTo(due);
  const over = await story.until(({ status }) => status === 'ended');
  t.deepEqual(over.endedAt, due);
  t.like(over.charges.at(-1), { status: 'void', attempts: 1, nextAttemptAt: null });
});

test.serial('money that clears late makes a subscription and its renewals wait', async (t) => {
  const story = await subscribe(shop, { card: CARDS.clearsLate });
  t.like(await story.read(), { status: 'incomplete', charges: [{ status: 'clearing' }] });
  t.is((await shop.processor.readCheckout(story.sessionId)).status, 'clearing');
  await calendar.passDays(3);
  const begun = await story.until(({ status }) => status === 'active');
  t.like(await shop.processor.readCheckout(story.sessionId), { status: 'paid' });
  await calendar.goTo(begun.periodEnd);
  const waiting = await story.until(({ charges }) => charges.length === 2);
  t.like(waiting, { status: 'active', charges: [{ status: 'paid' }, { status: 'clearing' }] });
  await calendar.passDays(3);
  await paidOf(story);
});

test.serial('a first payment that fails late ends what it has begun', async (t) => {
  const story = await subscribe(shop, { card: CARDS.failsLate });
  await calendar.passDays(3);
  const over = await story.until(({ status }) => status === 'ended');
  t.is(over.charges[0]!.status, 'void');
  t.is((await shop.processor.readCheckout(story.sessionId)).status, 'failed');
});

test.serial('a thousand renewals that are due at once are worked through in batches', async (t) => {
  const story = await subscribe(shop);
  await shop.database.query(
    `with template as (
       select * from simulator.checkout_session where id = $1
     ), copies as (
       insert into simulator.checkout_session (id, status, payment_status, amount, currency,
         product_name, metadata, intent_metadata, destination, application_fee, success_url,
         cancel_url, recurring_interval, expires_at)
       select 'cs_test_copy' || n, status, payment_status, amount, currency, product_name,
         metadata, intent_metadata, destination, application_fee, success_url, cancel_url,
         recurring_interval, expires_at
       from template, generate_series(1, 1000) n returning id)
     insert into simulator.subscription
       (id, session_id, customer_id, status, card, started_at, period_end)
     select 'sub_' || c.id, c.id, 'cus_' || c.id, s.status, s.card, s.started_at, s.period_end
     from copies c, simulator.subscription s where s.id = $2`,
    [story.sessionId, story.subscriptionId],
  );
  const { periodEnd } = await story.read();
  const startedAt = Date.now();
  await calendar.goTo(periodEnd);
  const count = async () => {
    const [row] = await shop.database.query<{ paid: number }>(
      `select count(*)::int as paid from simulator.invoice
       where status = 'paid' and subscription_id like 'sub_cs_test_copy%'`,
    );
    return row!.paid;
  };
  const seen = new Set<number>();
  await eventually(count, (paid) => Boolean(seen.add(paid)) && paid === 1_000, TIMEOUT_MS);
  t.true(
    [...seen].some((paid) => paid > 0 && paid < 1_000),
    'not in one piece',
  );
  const [most] = await shop.database.query<{ most: number }>(
    `select max(n)::int as most from (select count(*) as n from simulator.invoice
     where subscription_id like 'sub_cs_test_copy%' group by subscription_id) each`,
  );
  t.is(most!.most, 1, 'each of them once');
  t.log(`${Date.now() - startedAt} ms`);
});
