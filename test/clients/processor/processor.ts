import test from 'ava';
import { ProcessorFault, UnknownProcessorState } from '../../../clients/processor/processor.ts';
import { hmacSha256Hex } from '../../../domain/shared/secrets.ts';
import { pay, startShop, WEBHOOK_SECRET, type Shop } from '../../support/purchases/simulator.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

let shop: Shop;
test.before(async () => {
  shop = await startShop();
});
test.after.always(() => shop.close());

test('one checkout opens one session, however often and at once it is asked', async (t) => {
  const input = shop.input();
  const opened = await Promise.all([1, 2, 3, 4].map(() => shop.processor.openCheckout(input)));
  opened.push(await shop.processor.openCheckout(input));
  t.is(new Set(opened.map(({ sessionId }) => sessionId)).size, 1);
  const rows = await shop.database.query(
    `select id from simulator.checkout_session where metadata ->> 'checkout_id' = $1`,
    [input.checkoutId],
  );
  t.is(rows.length, 1);
});

test('the answer for a checkout stays the same after it was paid', async (t) => {
  const input = shop.input();
  const opened = await shop.processor.openCheckout(input);
  await pay(opened.url);
  t.deepEqual(await shop.processor.openCheckout(input), opened);
});

test('the same checkout with another price is refused', async (t) => {
  const input = shop.input();
  await shop.processor.openCheckout(input);
  const error = await t.throwsAsync(shop.processor.openCheckout({ ...input, amountMinor: 1_251 }), {
    instanceOf: ProcessorFault,
  });
  t.true(error.isPermanent);
});

test('a session carries what the sale needs, and lives for a day', async (t) => {
  const input = shop.input();
  const opened = await shop.processor.openCheckout(input);
  const [row] = await shop.database.query(
    'select * from simulator.checkout_session where id = $1',
    [opened.sessionId],
  );
  const metadata = { checkout_id: input.checkoutId, purchase_id: input.purchaseId };
  t.like(row, {
    amount: '1250',
    currency: 'usd',
    product_name: 'Pocket Synth',
    customer_email: 'buyer@example.com',
    destination: input.payoutAccount,
    application_fee: '125',
    metadata,
    intent_metadata: metadata,
  });
  const hoursLeft = (opened.expiresAt.getTime() - Date.now()) / 3_600_000;
  t.true(hoursLeft > 23 && hoursLeft <= 24);
  t.deepEqual(await shop.processor.readCheckout(opened.sessionId), {
    status: 'open',
    amountMinor: 1_250,
    currency: 'USD',
    paymentIntentId: null,
    subscriptionId: null,
  });
});

test('amounts are translated where the processor counts otherwise', async (t) => {
  const cases = [
    { currency: 'ISK', amountMinor: 500, applicationFeeMinor: 51, amount: '50000', fee: '5100' },
    { currency: 'MGA', amountMinor: 50_000, applicationFeeMinor: 5_050, amount: '500', fee: '50' },
    { currency: 'KWD', amountMinor: 12_340, applicationFeeMinor: 19, amount: '12340', fee: '10' },
  ];
  for (const { amount, fee, ...price } of cases) {
    const { sessionId } = await shop.processor.openCheckout(shop.input(price));
    const [row] = await shop.database.query<{ amount: string; application_fee: string }>(
      'select amount, application_fee from simulator.checkout_session where id = $1',
      [sessionId],
    );
    t.deepEqual(row, { amount, application_fee: fee }, price.currency);
    const state = await shop.processor.readCheckout(sessionId);
    t.is(state.amountMinor, price.amountMinor, price.currency);
  }
  const unpayable = shop.input({ currency: 'MGA', amountMinor: 50_001 });
  await t.throwsAsync(shop.processor.openCheckout(unpayable), { instanceOf: RangeError });
});

test('expiring ends an open session, and leaves ended ones alone', async (t) => {
  const open = await shop.processor.openCheckout(shop.input());
  await shop.processor.expireCheckout(open.sessionId);
  await shop.processor.expireCheckout(open.sessionId);
  t.is((await shop.processor.readCheckout(open.sessionId)).status, 'expired');
  t.is((await pay(open.url)).status, 409);

  const paid = await shop.processor.openCheckout(shop.input());
  await pay(paid.url);
  await shop.processor.expireCheckout(paid.sessionId);
  t.is((await shop.processor.readCheckout(paid.sessionId)).status, 'paid');

  const unknown = shop.processor.expireCheckout('cs_test_unknown');
  t.true((await t.throwsAsync(unknown, { instanceOf: ProcessorFault })).isPermanent);
});

test('a payout account can charge once its owner has told the processor all', async (t) => {
  const input = { email: 'maker@example.com', key: 'payouts-maker' };
  const account = await shop.processor.createPayoutAccount(input);
  t.regex(account.id, /^acct_/);
  t.like(account, { canCharge: false, isSubmitted: false });
  t.is((await shop.processor.createPayoutAccount(input)).id, account.id, 'the same key');
  const states = [
    ['in_review', { canCharge: false, isSubmitted: true }],
    ['enabled', { canCharge: true, isSubmitted: true }],
  ] as const;
  for (const [state, expected] of states) {
    const { url } = await shop.processor.openOnboarding({
      account: account.id,
      returnUrl: 'http://127.0.0.1:9/back',
      refreshUrl: 'http://127.0.0.1:9/again',
    });
    const body = new URLSearchParams({ state });
    const answer = await fetch(url, { method: 'POST', redirect: 'manual', body });
    t.is(answer.headers.get('location'), 'http://127.0.0.1:9/back');
    t.like(await shop.processor.readPayoutAccount(account.id), expected);
  }
});

test('no checkout pays out to an account that cannot receive', async (t) => {
  const { id } = await shop.processor.createPayoutAccount({ email: 'new@example.com' });
  const opened = shop.processor.openCheckout(shop.input({ payoutAccount: id }));
  const error = await t.throwsAsync(opened, { instanceOf: ProcessorFault });
  t.regex(error.message, /insufficient_capabilities_for_transfer/);
  t.true(error.isPermanent);
});

test('an account that does not exist is a permanent fault', async (t) => {
  const link = { account: 'acct_x', returnUrl: 'http://a.example', refreshUrl: 'http://a.example' };
  for (const call of [
    () => shop.processor.readPayoutAccount('acct_x'),
    () => shop.processor.openOnboarding(link),
  ]) {
    t.true((await t.throwsAsync(call, { instanceOf: ProcessorFault })).isPermanent);
  }
});

test('an account that revoked its access is a permanent fault, a key without rights is none', async (t) => {
  for (const [code, isPermanent] of [
    ['account_invalid', true],
    ['more_permissions_required', false],
  ] as const) {
    const error = { type: 'invalid_request_error', code, message: 'no access' };
    const { processor, close } = await stubProcessor(() => ({ status: 403, body: { error } }));
    for (const call of [
      () => processor.readPayoutAccount('acct_1'),
      () => processor.readPayout({ account: 'acct_1', payoutId: 'po_1' }),
    ]) {
      const fault = await t.throwsAsync(call, { instanceOf: ProcessorFault });
      t.is(fault.isPermanent, isPermanent);
    }
    await close();
  }
});

test('faults name the reason and quote nothing that was sent', async (t) => {
  const refused = shop.processor.openCheckout(shop.input({ customerEmail: 'not an address' }));
  const error = await t.throwsAsync(refused, { instanceOf: ProcessorFault });
  t.regex(error.message, /^open checkout: .*\(400, parameter_invalid, customer_email, req_/);
  t.notRegex(JSON.stringify(error) + error.stack, /not an address|sk_test/);
});

const body = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'checkout.session.completed',
  livemode: true,
  data: { object: { object: 'checkout.session', metadata: { purchase_id: 'c', other: 'x' } } },
});

function sign(secondsFromNow = 0, secret = WEBHOOK_SECRET): string {
  const at = Math.floor(Date.now() / 1_000) + secondsFromNow;
  return `t=${at},v1=${hmacSha256Hex(secret, Buffer.from(`${at}.${body}`))}`;
}

test('a signed event is read', (t) => {
  t.deepEqual(shop.processor.readEvent(Buffer.from(body), sign()), {
    id: 'evt_1',
    type: 'checkout.session.completed',
    isLive: true,
    purchaseId: 'c',
    membershipId: null,
    paymentIntentId: null,
    subscriptionId: null,
    body: JSON.parse(body),
  });
  t.truthy(shop.processor.readEvent(Buffer.from(body), `${sign()},v1=00,v0=00`));
  t.truthy(shop.processor.readEvent(Buffer.from(body), sign(-290)));
  t.truthy(shop.processor.readEvent(Buffer.from(body), sign(290)));
});

const refusedSignatures: Record<string, () => string | undefined> = {
  missing: () => undefined,
  empty: () => '',
  'of another secret': () => sign(0, 'whsec_other'),
  'too old': () => sign(-310),
  'from the future': () => sign(310),
  'without a time': () => sign().replace(/^t=\d+,/, ''),
  'with two times': () => `t=1,${sign()}`,
  'with a malformed time': () => sign().replace('t=', 't=0x'),
  'of another scheme': () => sign().replace('v1=', 'v0='),
};

for (const [name, signature] of Object.entries(refusedSignatures)) {
  test(`an event with a signature ${name} is refused`, (t) => {
    t.is(shop.processor.readEvent(Buffer.from(body), signature()), null);
  });
}

test('an event that was changed on its way is refused', (t) => {
  const changed = Buffer.from(body.replace('"c"', '"d"'));
  t.is(shop.processor.readEvent(changed, sign()), null);
});

test('an answer that is no Stripe object is not taken for success', async (t) => {
  const { processor, close } = await stubProcessor(() => ({ status: 404, body: { gone: true } }));
  await t.throwsAsync(processor.readCheckout('cs_1'), { instanceOf: UnknownProcessorState });
  await t.throwsAsync(processor.expireCheckout('cs_1'), { instanceOf: UnknownProcessorState });
  await t.throwsAsync(processor.createPayoutAccount({ email: 'a@example.com' }), {
    instanceOf: UnknownProcessorState,
  });
  await close();
});

test('an answer that is no object is a fault worth another try', async (t) => {
  for (const body of ['ok', 5, true, null]) {
    const answer = () => ({ status: 200, body: body as unknown as object });
    const { processor, close } = await stubProcessor(answer);
    const error = await t.throwsAsync(processor.readCheckout('cs_1'), {
      instanceOf: ProcessorFault,
    });
    t.false(error.isPermanent, String(body));
    await close();
  }
});

test('a call that broke in the middle is repeated with the same idempotency key', async (t) => {
  const keys: unknown[] = [];
  const session = { object: 'checkout.session', id: 'cs_1', url: 'http://x/', expires_at: 1 };
  const { processor, close } = await stubProcessor(({ headers }) => {
    keys.push(headers['idempotency-key']);
    return keys.length < 2 ? { status: 500, body: {} } : { status: 200, body: session };
  });
  const input = shop.input();
  t.is((await processor.openCheckout(input)).sessionId, 'cs_1');
  t.deepEqual(keys, [input.checkoutId, input.checkoutId]);
  await close();
});

test('a processor that is away is a fault worth another try', async (t) => {
  const { processor, close } = await stubProcessor(() => ({ status: 200, body: {} }));
  await close();
  const error = await t.throwsAsync(processor.readCheckout('cs_1'), {
    instanceOf: ProcessorFault,
  });
  t.false(error.isPermanent);
});
