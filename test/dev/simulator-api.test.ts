import test from 'ava';
import { createKnobs } from '../support/purchases/knobs.ts';
import { CARDS, pay, startShop, type Shop } from '../support/purchases/simulator.ts';
import { eventually } from '../support/eventually.ts';

let shop: Shop;
let knobs: ReturnType<typeof createKnobs>;
test.before(async () => {
  shop = await startShop();
  knobs = createKnobs(shop);
});
test.after.always(() => shop.close());

const COMPLETED = 'checkout.session.completed';

async function open() {
  const input = shop.input();
  return { ...(await shop.processor.openCheckout(input)), checkoutId: input.checkoutId };
}

const typesFor = (checkoutId: string) =>
  shop.receiver.received.filter((event) => event.checkoutId === checkoutId).map(({ type }) => type);

test.serial('the knobs are for whoever has the token', async (t) => {
  for (const token of ['', 'wrong', `Bearer ${shop.secretKey}`]) {
    const init = { method: 'POST', headers: { 'simulator-token': token }, body: '{}' };
    t.is((await fetch(`${shop.url}/knobs/clock`, init)).status, 401);
  }
  await t.throwsAsync(knobs.passDays(-1), { message: /400/ });
  await t.throwsAsync(knobs.dispute('pi_nobody'), { message: /404/ });
  await t.throwsAsync(knobs.decide('du_nobody', 'won'), { message: /404/ });
});

test.serial('a card that needs the bank is paid when the bank says so', async (t) => {
  const { url, sessionId, checkoutId } = await open();
  const asked = await pay(url, CARDS.needsAuthentication);
  t.is(asked.status, 303);
  t.is((await shop.processor.readCheckout(sessionId)).status, 'open');
  const page = new URL(asked.headers.get('location')!, shop.url).href;
  t.regex(await (await fetch(page)).text(), /Your bank asks you to confirm/);
  const answer = (value: string) =>
    fetch(page, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ answer: value }),
    });
  await answer('fail');
  t.is((await shop.processor.readCheckout(sessionId)).status, 'declined');
  await answer('complete');
  t.is((await shop.processor.readCheckout(sessionId)).status, 'declined', 'it is asked no more');
  await pay(url, CARDS.needsAuthentication);
  const answers = await Promise.all(Array.from({ length: 4 }, () => answer('complete')));
  t.is(answers.filter(({ headers }) => headers.get('location')?.includes('/done')).length, 1);
  t.is((await shop.processor.readCheckout(sessionId)).status, 'paid');
  await shop.receiver.wait(COMPLETED, checkoutId);
  t.is(typesFor(checkoutId).filter((type) => type === COMPLETED).length, 1);
});

test.serial('what clears late clears when the clock is advanced', async (t) => {
  const { url, sessionId, checkoutId } = await open();
  await pay(url, CARDS.clearsLate);
  t.is((await shop.processor.readCheckout(sessionId)).status, 'clearing');
  await knobs.passDays(3);
  await shop.receiver.wait('checkout.session.async_payment_succeeded', checkoutId);
  t.is((await shop.processor.readCheckout(sessionId)).status, 'paid');
});

test.serial('events are dropped, held back, reordered and doubled', async (t) => {
  await knobs.drop();
  const lost = await open();
  await pay(lost.url);
  await knobs.hold(2);
  const held = await open();
  await pay(held.url, CARDS.declined);
  await pay(held.url);
  await knobs.duplicate(2);
  const doubled = await open();
  await pay(doubled.url);
  await eventually(
    () => typesFor(doubled.checkoutId).length,
    (count) => count === 3,
  );
  t.deepEqual(typesFor(lost.checkoutId), []);
  t.deepEqual(typesFor(held.checkoutId), []);
  t.is((await knobs.release('reversed')).released, 2);
  t.deepEqual(typesFor(held.checkoutId), [COMPLETED, 'payment_intent.payment_failed']);
  const response = await fetch(`${shop.url}/knobs/events`, {
    headers: { 'simulator-token': shop.secretKey },
  });
  const listed = (await response.json()) as { type: string; state: string }[];
  t.deepEqual(
    listed.slice(0, 4).map(({ state }) => state),
    ['delivered', 'delivered', 'delivered', 'dropped'],
  );
});

test.serial('a dispute is an object of Stripe, opened and decided by the bank', async (t) => {
  const { url, sessionId } = await open();
  await pay(url, CARDS.disputed);
  const { paymentIntentId } = await shop.processor.readCheckout(sessionId);
  const read = () => shop.processor.readDisputes(paymentIntentId!);
  const [dispute] = await read();
  t.like(dispute, { status: 'open', amountMinor: 1_250, currency: 'USD', reason: 'fraudulent' });
  t.deepEqual(
    dispute!.fees,
    [{ feeMinor: 1_500, currency: 'USD' }],
    'the bank takes its fee at once',
  );
  await knobs.decide(dispute!.processorId, 'lost');
  t.like((await read())[0], { status: 'lost', fees: [{ feeMinor: 1_500 }] });
  await knobs.dispute(sessionId, { status: 'warning_needs_response', amount: 100 });
  t.deepEqual(
    (await read()).map(({ status, amountMinor }) => [status, amountMinor]),
    [
      ['warning', 100],
      ['lost', 1_250],
    ],
  );
});

test.serial('disputes are listed by when they were opened, page by page', async (t) => {
  const { url, sessionId } = await open();
  await pay(url, CARDS.succeeds);
  const before = Date.now();
  for (let n = 0; n < 101; n += 1) await knobs.dispute(sessionId, { amount: 10 });
  const day = 86_400_000;
  const list = (from: number, to: number) =>
    shop.processor.listDisputes({ from: new Date(from), to: new Date(to) });
  const { paymentIntentId } = await shop.processor.readCheckout(sessionId);
  const found = (await list(before - day, before + 3_650 * day)).filter(
    (dispute) => dispute.paymentIntentId === paymentIntentId,
  );
  t.is(new Set(found.map(({ processorId }) => processorId)).size, 101);
  t.deepEqual(await list(before - 9 * day, before - 8 * day), []);
});

const good = {
  mode: 'payment',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '1250',
  'line_items[0][price_data][product_data][name]': 'Pocket Synth',
  success_url: 'http://127.0.0.1:9/done',
  cancel_url: 'http://127.0.0.1:9/back',
};

const wrong: { change: Record<string, string>; param: string; code?: string }[] = [
  {
    change: { 'line_items[0][price_data][unit_amount]': '0' },
    param: 'line_items[0][price_data][unit_amount]',
  },
  {
    change: { 'line_items[0][price_data][unit_amount]': '12.5' },
    param: 'line_items[0][price_data][unit_amount]',
  },
  {
    change: { 'line_items[0][price_data][unit_amount]': '-1' },
    param: 'line_items[0][price_data][unit_amount]',
  },
  {
    change: { 'line_items[0][price_data][currency]': 'zzz' },
    param: 'line_items[0][price_data][currency]',
  },
  { change: { success_url: '' }, param: 'success_url' },
  { change: { success_url: 'javascript:alert(1)' }, param: 'success_url' },
  { change: { mode: 'setup' }, param: 'mode' },
  { change: { mode: 'subscription' }, param: 'line_items[0][price_data][recurring]' },
  {
    change: { 'line_items[0][price_data][recurring][interval]': 'month' },
    param: 'line_items[0][price_data][recurring]',
  },
  {
    change: { 'line_items[0][price_data][recurring][interval]': 'week' },
    param: 'line_items[0][price_data][recurring][interval]',
  },
  { change: { 'subscription_data[metadata][a]': 'b' }, param: 'subscription_data' },
  {
    change: {
      mode: 'subscription',
      'line_items[0][price_data][recurring][interval]': 'month',
      'payment_intent_data[metadata][a]': 'b',
    },
    param: 'payment_intent_data',
  },
  {
    change: { 'subscription_data[application_fee_percent]': '10.125' },
    param: 'subscription_data[application_fee_percent]',
  },
  {
    change: { 'subscription_data[application_fee_percent]': '100.01' },
    param: 'subscription_data[application_fee_percent]',
  },
  { change: { colour: 'red' }, param: 'colour', code: 'parameter_unknown' },
  { change: { '__proto__[polluted]': 'yes' }, param: '__proto__', code: 'parameter_unknown' },
  {
    change: { 'payment_intent_data[transfer_data][destination]': 'acct_unknown' },
    param: 'payment_intent_data[transfer_data][destination]',
    code: 'resource_missing',
  },
  {
    change: { 'payment_intent_data[application_fee_amount]': '1251' },
    param: 'payment_intent_data[application_fee_amount]',
  },
];

test('a wrong parameter is refused in the shape of Stripe errors', async (t) => {
  t.is((await callApi('/v1/checkout/sessions', good)).status, 200);
  for (const { change, param, code } of wrong) {
    const answer = await callApi('/v1/checkout/sessions', { ...good, ...change });
    const { error } = (await answer.json()) as { error: Record<string, string> };
    const about = JSON.stringify(change);
    t.is(answer.status, 400, about);
    t.is(error['type'], 'invalid_request_error', about);
    t.is(error['param'], param, about);
    t.is(error['code'], code ?? 'parameter_invalid', about);
  }
  const { success_url: _, ...incomplete } = good;
  const answer = await callApi('/v1/checkout/sessions', incomplete);
  t.like(await answer.json(), { error: { code: 'parameter_missing', param: 'success_url' } });
});

test('the secret key is needed, unknown things are 404, large bodies 413', async (t) => {
  const anonymous = await fetch(`${shop.url}/v1/accounts`, { method: 'POST' });
  t.is(anonymous.status, 401);
  t.is((await callApi('/v1/accounts', {}, 'sk_test_other')).status, 401);
  t.is((await callApi('/v1/coupons', {})).status, 404);
  t.is((await callApi('/v1/checkout/sessions/cs_test_x/expire', {})).status, 404);
  t.is((await callApi('/v1/accounts', { email: 'a'.repeat(70_000) })).status, 413);
  t.is((await fetch(`${shop.url}/nothing`)).status, 404);
});

test('accounts and payment intents can be read', async (t) => {
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const read = async (path: string) => (await fetch(shop.url + path, { headers })).json();
  const input = shop.input();
  t.like(await read(`/v1/accounts/${input.payoutAccount}`), { charges_enabled: true });
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url);
  const state = await shop.processor.readCheckout(checkout.sessionId);
  t.like(await read(`/v1/payment_intents/${state.paymentIntentId}`), {
    status: 'succeeded',
    amount_received: 1_250,
    application_fee_amount: 125,
    transfer_data: { destination: input.payoutAccount },
    metadata: { checkout_id: input.checkoutId, purchase_id: 'pay_01' },
    livemode: false,
  });
  t.like(await read('/v1/accounts/acct_x'), { error: { code: 'resource_missing' } });
});

function callApi(path: string, body: Record<string, string>, key = shop.secretKey) {
  return fetch(shop.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new URLSearchParams(body),
  });
}
