import test from 'ava';
import { ProcessorFault, UnknownProcessorState } from '../../../clients/processor/processor.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';
import { createKnobs } from '../../support/purchases/knobs.ts';
import { startShop, type Shop } from '../../support/purchases/simulator.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

let shop: Shop;
let knobs: ReturnType<typeof createKnobs>;
test.before(async () => {
  shop = await startShop();
  knobs = createKnobs(shop);
});
test.after.always(() => shop.close());

const openAccount = () => openReadyAccount(shop.processor, 'creator@example.com');

async function newTransfer(changes: { currency?: string; amountMinor?: number } = {}) {
  const account = await openAccount();
  const periodId = '2026-10:EUR';
  const payoutId = `pool-2026-10-${newUuid()}-EUR`;
  return { payoutId, periodId, account, amountMinor: 12_345, currency: 'EUR', ...changes };
}

const rowsOf = (payoutId: string) =>
  shop.database.query<{ id: string; amount: string; currency: string; metadata: object }>(
    'select id, amount, currency, metadata from simulator.transfer where transfer_group = $1',
    [payoutId],
  );

test.serial(
  'a payout is transferred once, however often and at once it is asked for',
  async (t) => {
    const input = await newTransfer();
    t.is(await shop.processor.findTransfer(input), null);
    const states = await Promise.all([1, 2, 3, 4].map(() => shop.processor.createTransfer(input)));
    const rows = await rowsOf(input.payoutId);
    t.like(rows, {
      0: {
        amount: '12345',
        currency: 'eur',
        metadata: { pool_payout: input.payoutId, pool_period: '2026-10:EUR' },
      },
      length: 1,
    });
    const transferId = rows[0]!.id;
    for (const state of states) t.deepEqual(state, { is: 'made', transferId });
    t.deepEqual(await shop.processor.findTransfer(input), { transferId });
    const headers = { authorization: `Bearer ${shop.secretKey}` };
    const one = await fetch(`${shop.url}/v1/transfers/${transferId}`, { headers });
    t.like(await one.json(), { object: 'transfer', amount: 12_345, destination: input.account });
    t.is((await fetch(`${shop.url}/v1/transfers/tr_nobody`, { headers })).status, 404);
  },
);

test.serial('an amount is counted in the units of the processor', async (t) => {
  for (const [currency, amountMinor, amount] of [
    ['JPY', 1_234, '1234'],
    ['ISK', 1_234, '123400'],
    ['KWD', 1_230, '1230'],
    ['MGA', 1_200, '12'],
  ] as const) {
    const input = await newTransfer({ currency, amountMinor });
    t.like(await shop.processor.createTransfer(input), { is: 'made' });
    t.is((await rowsOf(input.payoutId))[0]!.amount, amount, currency);
    t.truthy(await shop.processor.findTransfer(input), currency);
  }
  const small = await newTransfer({ currency: 'KWD', amountMinor: 1_234 });
  await t.throwsAsync(shop.processor.createTransfer(small), { instanceOf: RangeError });
});

test.serial('an account that is closed or restricted is refused for good', async (t) => {
  for (const [state, reason] of [
    ['closed', /does not know the payout account/],
    ['in_review', /cannot receive transfers/],
  ] as const) {
    const input = await newTransfer();
    await knobs.setAccount(input.account, state);
    const refused = await shop.processor.createTransfer(input);
    t.is(refused.is, 'refused');
    t.regex('reason' in refused ? refused.reason : '', reason);
    t.deepEqual(await rowsOf(input.payoutId), []);
  }
  await t.throwsAsync(knobs.setAccount('acct_nobody', 'closed'), { message: /404/ });
});

test.serial('a balance that is too low is a no for now', async (t) => {
  const input = await newTransfer();
  await knobs.transfers('refuse', 2);
  for (const _ of [1, 2]) {
    const fault = await t.throwsAsync(shop.processor.createTransfer(input), {
      instanceOf: ProcessorFault,
    });
    t.regex(fault!.message, /balance_insufficient/);
    t.true(fault!.isPermanent);
  }
  t.like(await shop.processor.createTransfer(input), { is: 'made' });
});

test.serial('a transfer whose answer was lost is found by its payout', async (t) => {
  const input = await newTransfer();
  // The package tries twice.
  await knobs.transfers('drop', 2);
  const fault = await t.throwsAsync(shop.processor.createTransfer(input), {
    instanceOf: ProcessorFault,
  });
  t.false(fault!.isPermanent);
  const [row] = await rowsOf(input.payoutId);
  t.deepEqual(await shop.processor.findTransfer(input), { transferId: row!.id });
  t.deepEqual(await shop.processor.createTransfer(input), { is: 'made', transferId: row!.id });
  const slow = await newTransfer();
  await knobs.transfers('delay', 1, 0.2);
  t.like(await shop.processor.createTransfer(slow), { is: 'made' });
});

test.serial('another transfer under the name of a payout is no answer', async (t) => {
  const input = await newTransfer();
  await shop.processor.createTransfer(input);
  const other = { ...input, amountMinor: 1 };
  await t.throwsAsync(shop.processor.findTransfer(other), { instanceOf: UnknownProcessorState });
  const fault = await t.throwsAsync(shop.processor.createTransfer(other));
  t.true(fault instanceof ProcessorFault, 'the key was used with other words');
  const stub = await stubProcessor(() => ({ status: 200, body: {} }));
  await t.throwsAsync(stub.processor.findTransfer(input), { instanceOf: UnknownProcessorState });
  await t.throwsAsync(stub.processor.createTransfer(input), { instanceOf: UnknownProcessorState });
  await stub.close();
});

test.serial('transfers are listed page by page, as Stripe does', async (t) => {
  const input = await newTransfer();
  for (const n of [1, 2, 3]) {
    const payoutId = `${input.payoutId}${n}`;
    await shop.processor.createTransfer({ ...input, payoutId });
  }
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const list = async (more: string) => {
    const url = `${shop.url}/v1/transfers?destination=${input.account}&limit=2${more}`;
    return (await (await fetch(url, { headers })).json()) as {
      has_more: boolean;
      data: { id: string }[];
    };
  };
  const first = await list('');
  t.true(first.has_more);
  const rest = await list(`&starting_after=${first.data[1]!.id}`);
  t.false(rest.has_more);
  t.is(new Set([...first.data, ...rest.data].map(({ id }) => id)).size, 3);
});
