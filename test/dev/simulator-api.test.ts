import test from 'ava';
import { pay, startShop, type Shop } from '../support/purchases/simulator.ts';

let shop: Shop;
test.before(async () => {
  shop = await startShop();
});
test.after.always(() => shop.close());

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
