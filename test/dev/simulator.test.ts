import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import { startSimulator } from '../../packages/simulator/main.ts';
import { createTestDatabase } from '../support/engines/database.ts';
import { pay, startShop, type Shop } from '../support/purchases/simulator.ts';

const DAY_MS = 86_400_000;

let shop: Shop;
test.before(async () => {
  shop = await startShop();
});
test.after.always(() => shop.close());
// The clock is one for all of a database, so the tests take turns.
test.beforeEach(() => {
  shop.receiver.received.length = 0;
  shop.receiver.answer = 200;
});

test.serial('a paid checkout sends the buyer back and a signed event to the shop', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  const answer = await pay(checkout.url);
  t.is(answer.status, 303);
  t.is(answer.headers.get('location'), `http://127.0.0.1:9/done?session=${checkout.sessionId}`);

  const { rawBody, signature } = await shop.receiver.wait(
    'checkout.session.completed',
    input.checkoutId,
  );
  const event = shop.processor.readEvent(rawBody, signature);
  t.like(event, {
    type: 'checkout.session.completed',
    isLive: false,
    purchaseId: 'pay_01',
  });
  t.regex(event!.id, /^evt_/);
  t.like(await shop.processor.readCheckout(checkout.sessionId), {
    status: 'paid',
    amountMinor: 1_250,
    currency: 'USD',
  });
});

test.serial('a declined card leaves the session open for another card', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  const answer = await pay(checkout.url, '4000 0000 0000 0002');
  t.is(answer.status, 402);
  t.regex(await answer.text(), /role="alert"[^>]*>The card was declined/);
  const { rawBody, signature } = await shop.receiver.wait(
    'payment_intent.payment_failed',
    input.checkoutId,
  );
  const event = shop.processor.readEvent(rawBody, signature);
  t.like(event, { purchaseId: 'pay_01' });
  const declined = await shop.processor.readCheckout(checkout.sessionId);
  t.is(declined.status, 'declined');

  t.regex(await (await fetch(checkout.url)).text(), /The card was declined/);
  t.is((await pay(checkout.url)).status, 303);
  const paid = await shop.processor.readCheckout(checkout.sessionId);
  t.is(paid.status, 'paid');
  t.is(paid.paymentIntentId, declined.paymentIntentId);
});

test.serial('a late payment is unpaid until it clears by itself after three days', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  t.is((await pay(checkout.url, '4000 0000 0000 9999')).status, 303);
  const { rawBody } = await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  t.is(JSON.parse(rawBody.toString()).data.object.payment_status, 'unpaid');
  t.is((await shop.processor.readCheckout(checkout.sessionId)).status, 'clearing');

  await shop.database.advance(3 * DAY_MS);
  const cleared = await shop.receiver.wait(
    'checkout.session.async_payment_succeeded',
    input.checkoutId,
  );
  t.is(JSON.parse(cleared.rawBody.toString()).data.object.payment_status, 'paid');
  t.truthy(shop.processor.readEvent(cleared.rawBody, cleared.signature));
  t.is((await shop.processor.readCheckout(checkout.sessionId)).status, 'paid');
});

test.serial('a late payment can also fail', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url, '4000 0000 0000 9991');
  await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  await shop.database.advance(3 * DAY_MS);
  await shop.receiver.wait('checkout.session.async_payment_failed', input.checkoutId);
  t.is((await shop.processor.readCheckout(checkout.sessionId)).status, 'failed');
  t.is((await pay(checkout.url)).status, 409);
});

test.serial('of many submits at once one pays, and the others are told', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  const answers = await Promise.all(Array.from({ length: 6 }, () => pay(checkout.url)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409)!;
  t.regex(await refused.text(), /already been paid/);
  t.regex(await (await fetch(checkout.url)).text(), /already been paid/);
  const events = await shop.database.query(
    `select id from simulator.event where body::jsonb #>> '{data,object,id}' = $1`,
    [checkout.sessionId],
  );
  t.is(events.length, 1);
});

test.serial('a session that nobody paid expires after a day', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  await shop.database.advance(DAY_MS);
  t.is((await pay(checkout.url)).status, 409);
  t.regex(await (await fetch(checkout.url)).text(), /has expired/);
  const event = await shop.receiver.wait('checkout.session.expired', input.checkoutId);
  t.truthy(shop.processor.readEvent(event.rawBody, event.signature));
  t.is((await shop.processor.readCheckout(checkout.sessionId)).status, 'expired');
});

test.serial('an event is tried again until the shop takes it', async (t) => {
  shop.receiver.answer = 503;
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url);
  const first = await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  shop.receiver.received.length = 0;
  shop.receiver.answer = 200;
  const second = await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  t.deepEqual(second.rawBody, first.rawBody);
  t.truthy(shop.processor.readEvent(second.rawBody, second.signature));
});

test.serial('an event for a shop that is away survives a restart', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  await shop.receiver.stop();
  t.is((await pay(checkout.url)).status, 303);
  await shop.restart();
  await shop.receiver.start();
  const event = await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  t.truthy(shop.processor.readEvent(event.rawBody, event.signature));
});

test.serial('the first event waits until the shop is up, and then comes at once', async (t) => {
  const input = shop.input();
  await shop.receiver.stop();
  await shop.restart();
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url);
  await shop.receiver.start();
  await shop.receiver.wait('checkout.session.completed', input.checkoutId);
  const attempts = await shop.database.query(
    `select distinct attempts from simulator.event where body::text like '%' || $1 || '%'`,
    [input.checkoutId],
  );
  t.deepEqual(attempts, [{ attempts: 1 }]);
});

test.serial('a hostile product name is shown as text under a strict policy', async (t) => {
  const productName = `<script>alert(1)</script> "Tom's" & <b>co</b>`;
  const checkout = await shop.processor.openCheckout(shop.input({ productName }));
  const answer = await fetch(checkout.url);
  const page = await answer.text();
  t.false(page.includes('<script'));
  t.true(
    page.includes('&lt;script&gt;alert(1)&lt;/script&gt; &#34;Tom&#39;s&#34; &amp; &lt;b&gt;'),
  );
  const policy = answer.headers.get('content-security-policy') ?? '';
  t.regex(policy, /default-src 'none'/);
  t.notRegex(policy, /unsafe|form-action/);
  t.regex(page, /No money moves/);
});

test.serial('prices are shown with the digits of their currency', async (t) => {
  const prices = [
    { amountMinor: 1_250, currency: 'USD', text: '12.50 USD' },
    { amountMinor: 900, currency: 'JPY', text: '900 JPY' },
    { amountMinor: 12_340, currency: 'KWD', text: '12.340 KWD' },
    { amountMinor: 500, currency: 'ISK', text: '500 ISK' },
  ];
  for (const { text, ...price } of prices) {
    const input = shop.input({ ...price, applicationFeeMinor: 0 });
    const { url } = await shop.processor.openCheckout(input);
    t.true((await (await fetch(url)).text()).includes(`Pay ${text}`), text);
  }
});

test.serial('unknown cards and malformed fields are refused without an attempt', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  t.is((await pay(checkout.url, '4111 1111 1111 1111')).status, 422);
  t.is((await pay(checkout.url, undefined, { expiry: '13 / 34' })).status, 422);
  t.is((await pay(checkout.url, undefined, { cvc: '1' })).status, 422);
  t.is((await pay(`${shop.url}/pay/cs_test_unknown`)).status, 404);
  t.is((await shop.processor.readCheckout(checkout.sessionId)).status, 'open');
});

test.serial('a test card can be chosen by its link', async (t) => {
  const input = shop.input();
  const checkout = await shop.processor.openCheckout(input);
  const page = await (await fetch(`${checkout.url}?card=4000000000000002`)).text();
  t.regex(page, /name="card_number"\s+value="4000 0000 0000 0002"/);
});

test('several simulators can start on one new database at the same time', async (t) => {
  const database = await createTestDatabase();
  const options = {
    databaseUrl: database.ownUrl,
    port: 0,
    hosts: ['127.0.0.1', '::1'],
    url: 'http://localhost:0',
    secretKey: `sk_${newUuid()}`,
    webhookSecret: 'whsec_x',
    webhookUrl: 'http://127.0.0.1:9/',
    log: { format: 'json', level: 'silent' } as const,
  };
  const started = await Promise.all([1, 2, 3].map(() => startSimulator(options)));
  t.is(new Set(started.map(({ port }) => port)).size, 3);
  await Promise.all(started.map((simulator) => simulator.stop()));
  await database.drop();
});
