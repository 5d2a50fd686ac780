import test from 'ava';
import { ProcessorFault } from '../../clients/processor/processor.ts';
import { newPublicId, newUuid } from '../../domain/shared/ids.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { CARDS, pay, startShop, type Shop } from '../support/purchases/simulator.ts';
import { createCalendar, subscribe, type Subscribed } from '../support/purchases/billing.ts';

let shop: Shop;
let calendar: ReturnType<typeof createCalendar>;
test.before(async () => {
  shop = await startShop();
  calendar = createCalendar(shop);
});
test.after.always(() => shop.close());

/** Somebody whose first renewal has failed. */
async function fallBehind(card = CARDS.renewalsFail): Promise<Subscribed> {
  const story = await subscribe(shop, { card });
  const { periodEnd } = await story.read();
  await calendar.goTo(periodEnd);
  await story.until(({ status }) => status === 'past_due');
  return story;
}

test.serial('the page of a subscription says how often it is paid', async (t) => {
  const prices = { month: 'Pay 12.50 USD per month', year: 'Pay 12.50 USD per year' } as const;
  for (const [interval, words] of Object.entries(prices)) {
    const recurring = { interval: interval as keyof typeof prices };
    const { url } = await shop.processor.openCheckout(shop.input({ recurring }));
    const page = await (await fetch(url)).text();
    t.true(page.includes(words), words);
    t.regex(page, /4000 0000 0000 3410<\/a>\s+is paid; renewals fail, then succeed/);
  }
  const { url } = await shop.processor.openCheckout(shop.input());
  t.notRegex(await (await fetch(url)).text(), /per month|renewals/);
});

test.serial('a declined card begins nothing, the next one begins it once', async (t) => {
  const input = shop.input({ recurring: { interval: 'month' } });
  const { url, sessionId } = await shop.processor.openCheckout(input);
  t.is((await pay(url, CARDS.declined)).status, 402);
  t.like(await shop.processor.readCheckout(sessionId), { status: 'open', subscriptionId: null });
  const answers = await Promise.all(Array.from({ length: 4 }, () => pay(url)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 409, 409, 409]);
  const begun = await shop.database.query(
    'select id from simulator.subscription where session_id = $1',
    [sessionId],
  );
  t.is(begun.length, 1);
});

test.serial('the share of the platform is a part of each charge', async (t) => {
  const story = await subscribe(shop, { amountMinor: 999, applicationFeeBasisPoints: 1_250 });
  const [row] = await shop.database.query(
    `select application_fee, application_fee_percent, destination from simulator.checkout_session
     where id = $1`,
    [story.sessionId],
  );
  const destination = story.payoutAccount;
  t.deepEqual(row, { application_fee: '124', application_fee_percent: '12.50', destination });
  const { periodEnd } = await story.read();
  await calendar.goTo(periodEnd);
  const { charges } = await story.until((reading) => reading.charges.length === 2);
  const fees = await Promise.all(charges.map((charge) => ask(charge.paymentIntentId!)));
  t.deepEqual(fees, [124, 124]);
});

async function ask(intentId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const answer = await fetch(`${shop.url}/v1/payment_intents/${intentId}`, { headers });
  return ((await answer.json()) as Record<string, unknown>)['application_fee_amount'];
}

test.serial('without a payout account all of the money stays with the platform', async (t) => {
  const kept = { payoutAccount: null, applicationFeeMinor: 0, applicationFeeBasisPoints: 0 };
  const story = await subscribe(shop, kept);
  t.is((await story.read()).status, 'active');
  const single = await shop.processor.openCheckout(shop.input(kept));
  const rows = await shop.database.query(
    `select destination, application_fee, application_fee_percent
     from simulator.checkout_session where id = any($1)`,
    [[story.sessionId, single.sessionId]],
  );
  const nothing = { destination: null, application_fee: null, application_fee_percent: null };
  t.deepEqual(rows, [nothing, nothing]);
});

test.serial('cancelled, it runs to the end of its period and no further', async (t) => {
  const story = await subscribe(shop);
  t.like(await story.cancelAtPeriodEnd(true), { status: 'active', isCancelAtPeriodEnd: true });
  t.like(await story.cancelAtPeriodEnd(true), { isCancelAtPeriodEnd: true }, 'asked for twice');
  const { periodEnd } = await story.read();
  await calendar.goTo(periodEnd);
  const over = await story.until(({ status }) => status === 'ended');
  t.deepEqual(over.endedAt, periodEnd);
  t.is(over.charges.length, 1);
  t.deepEqual((await story.events()).slice(2), [
    'customer.subscription.updated',
    'customer.subscription.deleted',
  ]);
  t.is((await story.cancelAtPeriodEnd(true)).status, 'ended', 'that it ended is what was wanted');
  t.is((await story.cancelAtPeriodEnd(false)).status, 'ended', 'and it does not come back');
  t.is((await story.cancel()).status, 'ended');
});

test.serial('resumed before its end it renews as before', async (t) => {
  const story = await subscribe(shop);
  await story.cancelAtPeriodEnd(true);
  t.like(await story.cancelAtPeriodEnd(false), { status: 'active', isCancelAtPeriodEnd: false });
  const { periodEnd } = await story.read();
  await calendar.goTo(periodEnd);
  const renewed = await story.until(({ charges }) => charges.length === 2);
  t.like(renewed, { status: 'active', charges: [{ status: 'paid' }, { status: 'paid' }] });
});

test.serial('resumed in the second in which it ends, it is one of both', async (t) => {
  const story = await subscribe(shop);
  await story.cancelAtPeriodEnd(true);
  const { periodEnd } = await story.read();
  const [resumed] = await Promise.all([story.cancelAtPeriodEnd(false), calendar.goTo(periodEnd)]);
  await calendar.isQuiet();
  const { status } = await story.read();
  t.is(status, resumed.isCancelAtPeriodEnd ? 'ended' : 'active');
});

test.serial('cancelled at once it is over, however often and at once it is asked', async (t) => {
  const story = await subscribe(shop);
  const answers = await Promise.all([1, 2, 3, 4].map(() => story.cancel()));
  t.true(answers.every(({ status, endedAt }) => status === 'ended' && endedAt !== null));
  const { events } = story;
  const ends = (await events()).filter((type) => type === 'customer.subscription.deleted');
  t.is(ends.length, 1);
});

test.serial('cancelled at once, what is open is not tried again', async (t) => {
  const story = await fallBehind();
  t.like((await story.cancel()).charges.at(-1), { status: 'void', nextAttemptAt: null });
  await calendar.passDays(8);
  await calendar.isQuiet();
  t.is((await story.read()).charges.at(-1)!.attempts, 1);
});

test.serial('another card pays at once what was open', async (t) => {
  const story = await fallBehind();
  const { url } = await story.openCardUpdate();
  t.regex(await (await fetch(url)).text(), /Change the card/);
  const answer = await pay(url);
  t.is(answer.status, 303);
  t.is(answer.headers.get('location'), 'http://127.0.0.1:9/back');
  const saved = await story.read();
  t.like(saved, { status: 'active', charges: [{ status: 'paid' }, { status: 'paid' }] });
  t.like(saved.charges[1], { attempts: 1, nextAttemptAt: null });
  await calendar.goTo(saved.periodEnd);
  const renewed = await story.until(({ charges }) => charges.length === 3);
  t.is(renewed.status, 'active', 'it is the card from now on');
});

test.serial('another card that is refused leaves the planned tries as they were', async (t) => {
  const story = await fallBehind();
  const before = await story.read();
  const { url } = await story.openCardUpdate();
  const declined = await pay(url, CARDS.declined);
  t.is(declined.status, 402);
  t.regex(await declined.text(), /Your current card is kept/);
  t.deepEqual(await story.read(), before);
  const refused = await pay(url, CARDS.renewalsRefused);
  t.is(refused.status, 402);
  t.regex(await refused.text(), /could not be charged/);
  const { nextAttemptAt } = before.charges[1]!;
  const after = await story.read();
  t.is(after.status, 'past_due');
  t.like(after.charges[1], { attempts: 1, nextAttemptAt });
  t.is((await pay(url, '4111 1111 1111 1111')).status, 422);
  t.is((await pay(url)).status, 303);
  t.is((await story.read()).status, 'active');
});

test.serial(
  'the page for another card is over with its hour, and with its subscription',
  async (t) => {
    const story = await subscribe(shop);
    const late = await story.openCardUpdate();
    await calendar.passDays(1);
    t.is((await pay(late.url)).status, 409);
    const { url } = await story.openCardUpdate();
    await story.cancel();
    t.is((await pay(url)).status, 409);
    t.regex(await (await fetch(url)).text(), /Nothing to change/);
    t.is((await pay(`${shop.url}/billing/nothing`)).status, 404);
    for (const path of ['/billing/nothing', '/billing/%00', '/connect/%00']) {
      t.is((await fetch(`${shop.url}${path}`)).status, 404, path);
    }
  },
);

test.serial('a renewal is refunded and disputed like any other payment', async (t) => {
  const story = await subscribe(shop);
  const { periodEnd } = await story.read();
  await calendar.goTo(periodEnd);
  const { charges } = await story.until((reading) => reading.charges[1]?.status === 'paid');
  const [first, renewal] = charges.map(({ paymentIntentId }) => paymentIntentId!);
  const request = { refundId: newPublicId('re_'), purchaseId: story.purchaseId, reason: null };
  const part = { ...request, paymentIntentId: renewal!, amountMinor: 300, currency: 'USD' };
  t.like(await shop.processor.refund(part), { status: 'succeeded', amountMinor: 300 });
  t.is((await shop.processor.listRefunds(renewal!)).length, 1);
  t.deepEqual(await shop.processor.listRefunds(first!), []);
  await createKnobs(shop).dispute(renewal!, { amount: 200 });
  t.like(await shop.processor.readDisputes(renewal!), [{ status: 'open', amountMinor: 200 }]);
  t.deepEqual(await shop.processor.readDisputes(first!), []);
  const { paymentIntentId } = await shop.processor.readCheckout(story.sessionId);
  t.is(paymentIntentId, first!, 'the session goes on naming its own payment');
});

test.serial('a subscription that nobody knows is a permanent fault', async (t) => {
  const asked = { subscriptionId: 'sub_nobody', key: newUuid() };
  for (const call of [
    () => shop.processor.readSubscription('sub_nobody'),
    () => shop.processor.cancelSubscription(asked),
    () => shop.processor.cancelAtPeriodEnd({ ...asked, key: newUuid(), isCancel: true }),
    () => shop.processor.openCardUpdate({ ...asked, returnUrl: 'http://127.0.0.1:9/' }),
  ]) {
    t.true((await t.throwsAsync(call, { instanceOf: ProcessorFault })).isPermanent);
  }
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  for (const path of ['subscriptions/sub_x', 'customers/cus_x', 'invoices/in_x']) {
    const answer = await fetch(`${shop.url}/v1/${path}`, { headers });
    t.is(answer.status, 404, path);
    t.like(await answer.json(), { error: { code: 'resource_missing' } });
  }
});

test.serial('more invoices than a page has are all read, the oldest first', async (t) => {
  const story = await subscribe(shop);
  await calendar.passDays(3_560);
  await calendar.isQuiet();
  const { charges, periodEnd } = await story.read();
  t.true(charges.length > 110, `${charges.length}`);
  t.is(new Set(charges.map(({ invoiceId }) => invoiceId)).size, charges.length);
  t.deepEqual(charges.at(-1)!.periodEnd, periodEnd);
  t.deepEqual(
    charges.map(({ isFirst }) => isFirst),
    charges.map((_, index) => index === 0),
  );
});

test.serial('what has begun survives a restart of the processor', async (t) => {
  const story = await subscribe(shop);
  const { periodEnd } = await story.read();
  await shop.restart();
  await calendar.goTo(periodEnd);
  const { charges } = await story.until((reading) => reading.charges.length === 2);
  t.is(charges[1]!.status, 'paid');
});
