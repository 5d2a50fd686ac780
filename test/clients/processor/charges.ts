import test from 'ava';
import type { Stripe } from 'stripe';
import { ProcessorFault, UnknownProcessorState } from '../../../clients/processor/processor.ts';
import { type OpenCheckoutInput } from '../../../clients/processor/checkout.ts';
import { decideRefundState } from '../../../clients/processor/refunds.ts';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { CARDS, pay, startShop, type Shop } from '../../support/purchases/simulator.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

let shop: Shop;
test.before(async () => {
  shop = await startShop();
});
test.after.always(() => shop.close());

async function charge(card = CARDS.succeeds) {
  const input = shop.input({ purchaseId: newPublicId('pay_') });
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url, card);
  const { paymentIntentId } = await shop.processor.readCheckout(checkout.sessionId);
  const request = {
    refundId: newPublicId('re_'),
    purchaseId: input.purchaseId,
    paymentIntentId: paymentIntentId!,
    amountMinor: 500,
    currency: 'USD',
    reason: 'requested_by_customer',
  } as const;
  return { input, request, paymentIntentId: paymentIntentId! };
}

/** What the simulator sends about a refund of ours. */
const received = (type: string, refundId: string) => () =>
  shop.receiver.received.filter(
    (event) =>
      event.type === type &&
      JSON.parse(event.rawBody.toString()).data.object.metadata.refund_id === refundId,
  );

test('a refund is made once, however often and at once it is asked for, and can be read again', async (t) => {
  const { request, paymentIntentId } = await charge();
  const made = await Promise.all([1, 2, 3, 4].map(() => shop.processor.refund(request)));
  t.is(new Set(made.map(({ processorId }) => processorId)).size, 1);
  t.like(made[0], {
    refundId: request.refundId,
    status: 'succeeded',
    amountMinor: 500,
    currency: 'USD',
  });
  const rest = { ...request, refundId: newPublicId('re_'), amountMinor: 750, reason: null };
  await shop.processor.refund(rest);
  const listed = await shop.processor.listRefunds(paymentIntentId);
  t.deepEqual(
    listed.map(({ refundId }) => refundId).toSorted(),
    [request.refundId, rest.refundId].toSorted(),
  );
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const one = await fetch(`${shop.url}/v1/refunds/${made[0]!.processorId}`, { headers });
  t.like(await one.json(), { object: 'refund', amount: 500, reason: 'requested_by_customer' });
});

test('the transfer is reversed and our fee returned only where there are such', async (t) => {
  const { request, paymentIntentId } = await charge();
  await shop.processor.refund(request);
  const reversals = () =>
    shop.database.query<{ reversal: string | null }>(
      'select transfer_reversal as reversal from simulator.refund where intent_id = $1',
      [paymentIntentId],
    );
  t.regex((await reversals())[0]!.reversal!, /^trr_/);
  const { request: plain, paymentIntentId: plainId } = await charge();
  await shop.database.query(
    `update simulator.checkout_session set destination = null, application_fee = null
     where id = (select session_id from simulator.payment_intent where id = $1)`,
    [plainId],
  );
  t.is((await shop.processor.refund(plain)).status, 'succeeded');
  t.like(await shop.processor.listRefunds(plainId), [{ refundId: plain.refundId }]);
});

test('more than is left is refused for good, also of many at once', async (t) => {
  const { request, paymentIntentId } = await charge();
  const asked = Array.from({ length: 5 }, () =>
    shop.processor
      .refund({ ...request, refundId: newPublicId('re_') })
      .catch((error: unknown) => error),
  );
  const answers = await Promise.all(asked);
  const faults = answers.filter((answer) => answer instanceof ProcessorFault);
  t.is(faults.length, 3);
  t.true(faults.every(({ isPermanent }) => isPermanent));
  t.is((await shop.processor.listRefunds(paymentIntentId)).length, 2);
});

test('one page of refunds is not all of them', async (t) => {
  const { request, paymentIntentId } = await charge();
  await shop.database.query(
    `insert into simulator.refund (id, intent_id, amount, status, metadata)
     select 're_page_' || n, $1, 1, 'failed', '{}' from generate_series(1, 230) n`,
    [paymentIntentId],
  );
  await shop.processor.refund(request);
  const listed = await shop.processor.listRefunds(paymentIntentId);
  t.is(new Set(listed.map(({ processorId }) => processorId)).size, 231);
});

// Moves the clock, by which a checkout that another test has just opened expires.
test.serial(
  'refunds tell of themselves: created, and failed days later by a card of its own',
  async (t) => {
    const { request, paymentIntentId } = await charge(CARDS.refundFailsLate);
    t.is((await shop.processor.refund(request)).status, 'succeeded');
    const { input, request: slow, paymentIntentId: slowId } = await charge(CARDS.refundsLate);
    t.is((await shop.processor.refund(slow)).status, 'pending');
    await shop.database.advance(3 * 86_400_000 + 1_000);
    const until = async (type: string, refundId: string) => {
      for (;;) {
        const [found] = received(type, refundId)();
        if (found) return shop.processor.readEvent(found.rawBody, found.signature)!;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const failed = await until('refund.failed', request.refundId);
    t.like(failed, { purchaseId: request.purchaseId, paymentIntentId });
    t.is(received('refund.created', request.refundId)().length, 1);
    t.like(await until('refund.updated', slow.refundId), { purchaseId: input.purchaseId });
    t.like(await shop.processor.listRefunds(paymentIntentId), [
      { status: 'failed', failure: 'expired_or_canceled_card' },
    ]);
    t.like(await shop.processor.listRefunds(slowId), [{ status: 'succeeded', failure: null }]);
  },
);

test('a status that this code does not know is unknown, never a guess', (t) => {
  const made = { id: 're_1', object: 'refund', amount: 1, currency: 'usd', metadata: null };
  const read = (status: string | null) => decideRefundState({ ...made, status } as Stripe.Refund);
  t.is(read('requires_action').status, 'pending');
  t.is(read('canceled').status, 'canceled');
  t.is(read('succeeded').refundId, null);
  t.throws(() => read('marvellous'), { instanceOf: UnknownProcessorState });
  t.throws(() => read(null), { instanceOf: UnknownProcessorState });
});

async function chargeFor(changes: Partial<OpenCheckoutInput>, card = CARDS.succeeds) {
  const own = { payoutAccount: null, applicationFeeMinor: 0, ...changes };
  const checkout = await shop.processor.openCheckout(shop.input(own));
  await pay(checkout.url, card);
  return (await shop.processor.readCheckout(checkout.sessionId)).paymentIntentId!;
}

const FEES: [string, Partial<OpenCheckoutInput>, number][] = [
  ['a charge', { amountMinor: 1_000, currency: 'USD' }, 59],
  ['a charge of Member', { amountMinor: 999, recurring: { interval: 'month' } }, 59],
  ['a currency without decimals', { amountMinor: 500, currency: 'JPY' }, 45],
  ['a currency that the processor counts in hundredths', { amountMinor: 50, currency: 'ISK' }, 1],
];

for (const [what, changes, feeMinor] of FEES) {
  test(`the fee of ${what} is in its minor units`, async (t) => {
    t.is(await shop.processor.readProcessorFee(await chargeFor(changes)), feeMinor);
  });
}

test('the fee of a charge that clears is not known yet', async (t) => {
  const intentId = await chargeFor({}, CARDS.clearsLate);
  t.is(await shop.processor.readProcessorFee(intentId), null);
});

test('the simulator names a charge, and shows it in full where that is asked for', async (t) => {
  const intentId = await chargeFor({ amountMinor: 1_000 });
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const url = `${shop.url}/v1/payment_intents/${intentId}`;
  const named = (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  t.is(named['latest_charge'], intentId.replace('pi_', 'ch_'));
  const inFull = `${url}?expand[]=latest_charge.balance_transaction`;
  t.like(await (await fetch(inFull, { headers })).json(), {
    latest_charge: {
      id: named['latest_charge'],
      balance_transaction: { amount: 1_000, fee: 59, net: 941, currency: 'usd' },
    },
  });
});

const settled = { object: 'balance_transaction', currency: 'usd', fee: 59 };

/** What is made of an intent with that charge. */
async function readFee(latest_charge: unknown): Promise<number | null> {
  const intent = { id: 'pi_1', object: 'payment_intent', currency: 'usd', latest_charge };
  const { processor, close } = await stubProcessor(() => ({ status: 200, body: intent }));
  try {
    return await processor.readProcessorFee('pi_1');
  } finally {
    await close();
  }
}

test('a fee that is not there yet, or in another currency, is not known', async (t) => {
  t.is(await readFee({ balance_transaction: settled }), 59);
  t.is(await readFee(null), null);
  t.is(await readFee({ balance_transaction: null }), null);
  t.is(await readFee({ balance_transaction: { ...settled, currency: 'eur' } }), null);
});

test('a fee that cannot be is not guessed at', async (t) => {
  for (const odd of [
    'ch_1',
    { balance_transaction: 'txn_1' },
    { balance_transaction: { ...settled, fee: -1 } },
    { balance_transaction: { ...settled, fee: 0.5 } },
    { balance_transaction: { ...settled, fee: null } },
  ]) {
    await t.throwsAsync(readFee(odd), { instanceOf: UnknownProcessorState });
  }
});

test('a fee is asked for once: nobody waits for a second try', async (t) => {
  let calls = 0;
  const { processor, close } = await stubProcessor(({ query }) => {
    calls += 1;
    t.is(query.get('expand[0]'), 'latest_charge.balance_transaction');
    return { status: 503, body: { error: { message: 'busy' } } };
  });
  t.teardown(close);
  await t.throwsAsync(processor.readProcessorFee('pi_1'), { instanceOf: ProcessorFault });
  t.is(calls, 1);
});
