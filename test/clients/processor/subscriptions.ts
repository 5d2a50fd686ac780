import test from 'ava';
import type { Stripe } from 'stripe';
import { decideReading, type SubscriptionState } from '../../../clients/processor/subscriptions.ts';
import { type SubscriptionCharge } from '../../../clients/processor/invoices.ts';
import { ProcessorFault, UnknownProcessorState } from '../../../clients/processor/processor.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

const MONTH = { start: 1_800_000_000, end: 1_802_678_400 };

const subscription = {
  id: 'sub_1',
  object: 'subscription',
  status: 'active',
  customer: 'cus_1',
  cancel_at: null,
  cancel_at_period_end: false,
  ended_at: null,
  items: { data: [{ current_period_start: MONTH.start, current_period_end: MONTH.end }] },
};

const invoice = {
  id: 'in_1',
  object: 'invoice',
  amount_due: 1_250,
  amount_paid: 0,
  attempt_count: 2,
  billing_reason: 'subscription_cycle',
  currency: 'usd',
  lines: { data: [{ period: MONTH }] },
  next_payment_attempt: MONTH.start + 86_400,
  payments: {
    data: [
      { status: 'canceled', is_default: false, payment: { payment_intent: 'pi_old' } },
      { status: 'open', is_default: true, payment: { payment_intent: 'pi_1' } },
    ],
  },
  // It looks back by a period.
  period_start: 1,
  period_end: 2,
  status: 'open',
};

const firstPaid = { isFirst: true, status: 'paid' } as SubscriptionCharge;

function read(changes: object, charges = [firstPaid]): SubscriptionState {
  return decideReading({ ...subscription, ...changes } as unknown as Stripe.Subscription, charges);
}

const STATUSES: [string, SubscriptionState['status']][] = [
  ['incomplete', 'incomplete'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['canceled', 'ended'],
  ['incomplete_expired', 'ended'],
  ['unpaid', 'ended'],
];

for (const [status, expected] of STATUSES) {
  test(`a subscription that is ${status} there is ${expected} here`, (t) => {
    t.is(read({ status }).status, expected);
  });
}

for (const status of ['trialing', 'paused', 'dreaming']) {
  test(`a subscription that is ${status} is not guessed at`, (t) => {
    t.throws(() => read({ status }), { instanceOf: UnknownProcessorState });
  });
}

test('one that the processor lets begin before its first payment has come is incomplete', (t) => {
  for (const status of ['clearing', 'open', 'void'] as const) {
    t.is(read({}, [{ ...firstPaid, status }]).status, 'incomplete', status);
    t.is(read({ status: 'canceled' }, [{ ...firstPaid, status }]).status, 'ended', status);
  }
});

test('an end that is dated is an end of the period when it is not after it', (t) => {
  t.true(read({ cancel_at_period_end: true, cancel_at: MONTH.end }).isCancelAtPeriodEnd);
  t.true(read({ cancel_at: MONTH.end }).isCancelAtPeriodEnd);
  t.false(read({ cancel_at: MONTH.end + 1 }).isCancelAtPeriodEnd);
  t.false(read({}).isCancelAtPeriodEnd);
});

test('the period is the one of the item, and none is not guessed at', (t) => {
  t.deepEqual(read({}).periodEnd, new Date(MONTH.end * 1_000));
  t.throws(() => read({ items: { data: [] } }), { instanceOf: UnknownProcessorState });
});

type World = { subscription?: object; invoice?: object; intent?: string };

/** A processor that has one subscription with one invoice. */
async function meet(world: World) {
  const calls: { call: string; body: string; key: unknown }[] = [];
  const stub = await stubProcessor(({ method, path, body, headers }) => {
    calls.push({ call: `${method} ${path}`, body, key: headers['idempotency-key'] });
    if (path === '/v1/invoices') {
      const data = [{ ...invoice, ...world.invoice }];
      return { status: 200, body: { object: 'list', has_more: false, data } };
    }
    if (path.startsWith('/v1/payment_intents')) {
      const intent = { id: 'pi_1', object: 'payment_intent', status: world.intent };
      return { status: 200, body: intent };
    }
    return { status: 200, body: { ...subscription, ...world.subscription } };
  });
  return { ...stub, calls };
}

async function readCharge(world: World) {
  const { processor, close } = await meet(world);
  try {
    return (await processor.readSubscription('sub_1')).charges[0]!;
  } finally {
    await close();
  }
}

const FAILED = 'requires_payment_method';

const CHARGES: [World, Partial<SubscriptionCharge>][] = [
  [
    { intent: FAILED },
    { status: 'open', paymentIntentId: 'pi_1', attempts: 2, amountMinor: 1_250, isFirst: false },
  ],
  [{ intent: FAILED }, { nextAttemptAt: new Date((MONTH.start + 86_400) * 1_000) }],
  [{ intent: FAILED }, { periodStart: new Date(MONTH.start * 1_000) }],
  [{ intent: FAILED, invoice: { next_payment_attempt: null } }, { nextAttemptAt: null }],
  [{ intent: 'processing' }, { status: 'clearing', nextAttemptAt: null }],
  [{ invoice: { status: 'paid', amount_paid: 1_000 } }, { status: 'paid', amountMinor: 1_000 }],
  [{ invoice: { status: 'draft', payments: { data: [] } } }, { status: 'open' }],
  [{ invoice: { payments: { data: [] } } }, { status: 'open', paymentIntentId: null }],
  [{ invoice: { status: 'void' } }, { status: 'void' }],
  [{ invoice: { status: 'uncollectible' } }, { status: 'void' }],
  [{ invoice: { billing_reason: 'subscription_create', status: 'paid' } }, { isFirst: true }],
  [
    { intent: FAILED, invoice: { currency: 'isk' } },
    { amountMinor: 12, currency: 'ISK' },
  ],
  [
    { intent: FAILED, subscription: { status: 'canceled', ended_at: MONTH.end } },
    { status: 'void', nextAttemptAt: null },
  ],
  [{ intent: 'processing', subscription: { status: 'canceled' } }, { status: 'clearing' }],
];

for (const [world, expected] of CHARGES) {
  test(`a bill with ${JSON.stringify(world)} is ${JSON.stringify(expected)}`, async (t) => {
    t.like(await readCharge(world), expected);
  });
}

const NOT_GUESSED = [
  { status: 'settled', intent: FAILED },
  { lines: { data: [] } },
  { payments: null },
  { object: 'invoice_item' },
];

for (const change of NOT_GUESSED) {
  test(`a bill with ${JSON.stringify(change)} is not guessed at`, async (t) => {
    await t.throwsAsync(readCharge({ intent: FAILED, invoice: change }), {
      instanceOf: UnknownProcessorState,
    });
  });
}

test('resuming takes away the date that a page of the processor has written', async (t) => {
  const { processor, close, calls } = await meet({
    subscription: { cancel_at: MONTH.end },
    intent: FAILED,
  });
  t.teardown(close);
  await processor.cancelAtPeriodEnd({ subscriptionId: 'sub_1', key: 'k', isCancel: false });
  t.deepEqual(
    calls.filter(({ call }) => call.startsWith('POST')),
    [
      { call: 'POST /v1/subscriptions/sub_1', body: 'cancel_at_period_end=false', key: 'k' },
      { call: 'POST /v1/subscriptions/sub_1', body: 'cancel_at=', key: 'k-date' },
    ],
  );
});

test('what is refused for another reason than an end is a fault', async (t) => {
  const error = { type: 'invalid_request_error', message: 'no' };
  const { processor, close } = await stubProcessor(({ method }) =>
    method === 'GET' ? { status: 200, body: subscription } : { status: 400, body: { error } },
  );
  t.teardown(close);
  const asked = { subscriptionId: 'sub_1', key: 'k' };
  for (const call of [
    () => processor.cancelSubscription(asked),
    () => processor.cancelAtPeriodEnd({ ...asked, isCancel: true }),
  ]) {
    t.true((await t.throwsAsync(call, { instanceOf: ProcessorFault })).isPermanent);
  }
});

test('the page for another card is asked for the customer of the subscription', async (t) => {
  const page = { object: 'billing_portal.session', url: 'https://billing.example/p' };
  const bodies: string[] = [];
  const { processor, close } = await stubProcessor(({ method, body }) => {
    if (method === 'POST') bodies.push(body);
    return { status: 200, body: method === 'GET' ? subscription : page };
  });
  t.teardown(close);
  const request = { subscriptionId: 'sub_1', returnUrl: 'https://shop.example/', key: 'k' };
  t.deepEqual(await processor.openCardUpdate(request), { url: page.url });
  t.deepEqual(Object.fromEntries(new URLSearchParams(bodies[0])), {
    customer: 'cus_1',
    return_url: 'https://shop.example/',
    'flow_data[type]': 'payment_method_update',
  });
});

test('an answer that is no Stripe object is not taken for a subscription', async (t) => {
  const { processor, close } = await stubProcessor(() => ({ status: 404, body: { gone: true } }));
  t.teardown(close);
  const asked = { subscriptionId: 'sub_1', key: 'k' };
  for (const call of [
    () => processor.readSubscription('sub_1'),
    () => processor.cancelSubscription(asked),
    () => processor.cancelAtPeriodEnd({ ...asked, isCancel: true }),
    () => processor.openCardUpdate({ ...asked, returnUrl: 'https://shop.example/' }),
  ]) {
    await t.throwsAsync(call, { instanceOf: UnknownProcessorState });
  }
});

test('an answer that is no list is not taken for a subscription without bills', async (t) => {
  const { processor, close } = await stubProcessor(({ path }) =>
    path === '/v1/invoices'
      ? { status: 404, body: { gone: true } }
      : { status: 200, body: subscription },
  );
  t.teardown(close);
  await t.throwsAsync(processor.readSubscription('sub_1'), { instanceOf: UnknownProcessorState });
});

test('pages of bills without an end are not followed for ever', async (t) => {
  const { processor, close } = await stubProcessor(({ path }) =>
    path === '/v1/invoices'
      ? { status: 200, body: { object: 'list', has_more: true, data: [] } }
      : { status: 200, body: subscription },
  );
  t.teardown(close);
  await t.throwsAsync(processor.readSubscription('sub_1'), { instanceOf: UnknownProcessorState });
});
