import test from 'ava';
import {
  ProcessorFault,
  UnknownProcessorState,
  type OpenCheckoutInput,
} from '../../../clients/processor/processor.ts';
import { CARDS, pay, startShop, type Shop } from '../../support/purchases/simulator.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

let shop: Shop;
test.before(async () => {
  shop = await startShop();
});
test.after.always(() => shop.close());

async function charge(changes: Partial<OpenCheckoutInput>, card = CARDS.succeeds) {
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
    t.is(await shop.processor.readProcessorFee(await charge(changes)), feeMinor);
  });
}

test('the fee of a charge that clears is not known yet', async (t) => {
  const intentId = await charge({}, CARDS.clearsLate);
  t.is(await shop.processor.readProcessorFee(intentId), null);
});

test('the simulator names a charge, and shows it in full where that is asked for', async (t) => {
  const intentId = await charge({ amountMinor: 1_000 });
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
