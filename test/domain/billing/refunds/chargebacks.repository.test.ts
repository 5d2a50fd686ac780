import test from 'ava';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createSales, type Sale } from '../../../support/purchases/sales.ts';
import { takeFencingToken } from '../../../../domain/billing/purchases/purchase.repository.ts';

const { testDatabase, database, close } = await openTestDatabase();
const sales = createSales({ testDatabase, database });
const { paidSale, tell, dispute, balances, isActive, eventNames, purchaseOf, paymentOf } = sales;
test.after.always(close);

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

const SOLD = { buyer: -1_900, seller: 1_710, platform: 190 };
const NOTHING = { buyer: 0, seller: 0, platform: 0 };

const count = async (sale: Sale, name: string) =>
  (await eventNames(sale)).filter((found) => found === name).length;

test('a lost dispute is booked, and what is won on appeal is booked back', async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'open' });
  t.deepEqual(await balances(sale), SOLD);
  await dispute(sale, { status: 'lost' });
  t.deepEqual(await balances(sale), NOTHING);
  t.like(await purchaseOf(sale), { status: 'charged_back' });
  await dispute(sale, { status: 'lost' });
  t.deepEqual(await balances(sale), NOTHING);
  await dispute(sale, { status: 'won' });
  t.deepEqual(await balances(sale), SOLD);
  t.like(await purchaseOf(sale), { status: 'cleared', refunded_minor: '0' });
  t.like(await paymentOf(sale), { status: 'succeeded' });
  t.true(await isActive(sale));
  await dispute(sale, { status: 'lost' });
  t.deepEqual(await balances(sale), NOTHING);
  t.false(await isActive(sale));
});

test('a refund and a lost chargeback of one payment: one withdrawal, told once, the ledger keeps both', async (t) => {
  for (const first of ['refund', 'dispute']) {
    const sale = await paidSale();
    const refund = () => tell(sale, [{}]);
    const lose = () => dispute(sale, { status: 'lost' });
    if (first === 'refund') await refund();
    await lose();
    if (first === 'dispute') await refund();
    t.false(await isActive(sale));
    t.is(await count(sale, 'entitlement.refunded'), 1);
    t.is(await count(sale, 'purchase.refunded'), 1);
    t.deepEqual(await balances(sale), { buyer: 1_900, seller: 0, platform: -1_900 });
    t.like(await purchaseOf(sale), {
      status: first === 'refund' ? 'refunded' : 'charged_back',
      refunded_minor: '3800',
    });
  }
});

test('refunds and the bank add up: the last part decides who is named', async (t) => {
  const sale = await paidSale();
  await tell(sale, [{ amountMinor: 900 }]);
  await dispute(sale, { status: 'lost', amountMinor: 1_000 });
  t.like(await purchaseOf(sale), { status: 'charged_back' });
  t.false(await isActive(sale));
  const told = await testDatabase.query(
    `select name, data -> 'chargeback' as bank, data -> 'refunded_minor' as refunded from event
     where product_id = $1 and name like '%refunded' order by created_at, id`,
    [sale.productId],
  );
  t.deepEqual(told, [
    { name: 'purchase.partially_refunded', bank: false, refunded: 900 },
    { name: 'purchase.refunded', bank: true, refunded: 1_900 },
    { name: 'entitlement.refunded', bank: true, refunded: null },
  ]);
  await dispute(sale, { status: 'won', amountMinor: 1_000 });
  t.like(await purchaseOf(sale), { status: 'cleared', refunded_minor: '900' });
  t.like(await paymentOf(sale), { status: 'partially_refunded' });
  t.true(await isActive(sale));
});

test('of a full refund that fails late nothing opens again while the bank has the money', async (t) => {
  const sale = await paidSale();
  const fact = { processorId: `re_${sale.purchaseId}` };
  await tell(sale, [fact]);
  await dispute(sale, { status: 'lost' });
  await tell(sale, [{ ...fact, status: 'failed' }]);
  t.false(await isActive(sale));
  t.deepEqual(await balances(sale), NOTHING);
  t.like(await purchaseOf(sale), { status: 'refunded', refunded_minor: '1900' });
  await dispute(sale, { status: 'won' });
  t.true(await isActive(sale));
  t.deepEqual(await balances(sale), SOLD);
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
  const older = await database.transaction((em) => takeFencingToken(em, sale.purchaseId));
  await dispute(sale, { status: 'open' });
  await dispute(sale, { status: 'open', fees: [fee(1_500)] });
  await dispute(sale, { status: 'open', fees: [] }, { fence: older });
  t.deepEqual(await feesOf(sale), [['USD', -1_500]]);
});
