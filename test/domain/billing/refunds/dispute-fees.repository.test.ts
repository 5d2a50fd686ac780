import test from 'ava';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { takeFence } from '../../../../domain/billing/purchases/purchase.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createSales, type Sale } from '../../../support/purchases/sales.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { paidSale, dispute, balances, isActive } = createSales({ testDatabase, database });
test.after.always(close);

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

const fee = (feeMinor: number, currency = 'USD') => ({ feeMinor, currency });

/** What the seller has paid for disputes of a sale, entry by entry. */
async function feesOf({ purchaseId }: Sale) {
  const found = await testDatabase.query<{ currency: string; amount: string; isOurs: boolean }>(
    `select e.currency, e.amount_minor as amount, e.product_id = u.product_id as "isOurs"
     from ledger_entry e join dispute d on d.id = e.dispute_id
     join payment y on y.id = d.payment_id join purchase u on u.id = y.purchase_id
     where u.id = $1 and e.kind = 'dispute_fee' and e.account = 'seller' order by e.id`,
    [purchaseId],
  );
  return found.map(({ currency, amount, isOurs }) => (isOurs ? [currency, Number(amount)] : null));
}

test("a dispute's fee is booked to the builder once, when the bank opens it", async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'warning' });
  t.deepEqual(await feesOf(sale), []);
  await dispute(sale, { status: 'open' });
  t.deepEqual(await feesOf(sale), [], 'the processor has not said it yet');
  for (const status of ['open', 'open', 'won'] as const) {
    await dispute(sale, { status, fees: [fee(1_500)] });
    t.deepEqual(await feesOf(sale), [['USD', -1_500]]);
  }
  t.deepEqual(await balances(sale), { buyer: -1_900, seller: 210, platform: 1_690 });
  t.true(await isActive(sale));
});

test('a lost dispute takes the money, and its fee beside it', async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'lost', fees: [fee(1_500)] });
  t.deepEqual(await balances(sale), { buyer: 0, seller: -1_500, platform: 1_500 });
  t.false(await isActive(sale));
});

test('of a fee as much is booked back as the processor gives back', async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'open', fees: [fee(1_500)] });
  await dispute(sale, { status: 'won', fees: [fee(500)] });
  await dispute(sale, { status: 'won', fees: [] });
  t.deepEqual(await feesOf(sale), [
    ['USD', -1_500],
    ['USD', 1_000],
    ['USD', 500],
  ]);
});

test('a fee is booked in the currency in which the processor takes it', async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'open', fees: [fee(1_500, 'EUR')] });
  await dispute(sale, { status: 'lost', fees: [fee(1_500, 'EUR'), fee(2_000, 'JPY')] });
  t.deepEqual(await feesOf(sale), [
    ['EUR', -1_500],
    ['JPY', -2_000],
  ]);
});

test('an older reading of a fee never wins', async (t) => {
  const sale = await paidSale();
  const older = await database.transaction((em) => takeFence(em, sale.purchaseId));
  await dispute(sale, { status: 'open' });
  await dispute(sale, { status: 'open', fees: [fee(1_500)] });
  await dispute(sale, { status: 'open', fees: [] }, { fence: older });
  t.deepEqual(await feesOf(sale), [['USD', -1_500]]);
});
