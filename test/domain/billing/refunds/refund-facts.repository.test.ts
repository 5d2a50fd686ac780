import test from 'ava';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';
import { withdrawAllAccess } from '../../../../domain/entitlements/withdraw-all-access.repository.ts';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { markSubmitted } from '../../../../domain/billing/refunds/refund.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createSales } from '../../../support/purchases/sales.ts';

const { testDatabase, database, close } = await openTestDatabase();
const {
  paidSale,
  settle,
  eventNames,
  rowOf,
  ask,
  fenceFor,
  tell,
  paymentOf,
  purchaseOf,
  isActive,
  balances,
  grant,
} = createSales({ testDatabase, database });
test.after.always(close);

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

test('a cleared payment is booked once with its gross and cut, in the transaction that clears it', async (t) => {
  const sale = await paidSale();
  t.deepEqual(await balances(sale), { buyer: -1_900, seller: 1_710, platform: 190 });
  await settle(sale);
  t.deepEqual(await balances(sale), { buyer: -1_900, seller: 1_710, platform: 190 });
});

test('a full refund withdraws the access and is told with the purchase', async (t) => {
  const sale = await paidSale();
  await ask(sale, 1_900);
  const { intents } = await fenceFor(sale);
  const told = await tell(sale, [{ refundId: intents[0]!.refundId }]);
  t.is(told, 'refunded');
  t.false(await isActive(sale));
  t.deepEqual(await eventNames(sale), [
    'purchase.completed',
    'entitlement.created',
    'purchase.refunded',
    'entitlement.refunded',
  ]);
  t.deepEqual(await balances(sale), { buyer: 0, seller: 0, platform: 0 });
  t.like(await paymentOf(sale), { status: 'refunded' });
  const { refunded_at } = (await purchaseOf(sale)) as { refunded_at: Date };
  t.like(await readAccess(database.pool, sale), { endsAt: refunded_at, type: 'purchase' });
});

test('partial refunds keep access until they add up to the gross', async (t) => {
  const sale = await paidSale();
  t.is(await tell(sale, [{ amountMinor: 700 }]), 'cleared');
  t.true(await isActive(sale));
  t.like(await paymentOf(sale), { status: 'partially_refunded' });
  t.deepEqual(await balances(sale), { buyer: -1_200, seller: 1_080, platform: 120 });
  t.is(await tell(sale, [{ amountMinor: 1_200 }]), 'refunded');
  t.false(await isActive(sale));
  const told = await testDatabase.query(
    `select name, data -> 'refunded_minor' as refunded, data -> 'gross_minor' as gross from event
     where product_id = $1 and name like 'purchase.%refunded' order by created_at, id`,
    [sale.productId],
  );
  t.deepEqual(told, [
    { name: 'purchase.partially_refunded', refunded: 700, gross: 1_900 },
    { name: 'purchase.refunded', refunded: 1_900, gross: 1_900 },
  ]);
});

test('a fact of the processor is always accepted, an excess is the loss of the platform', async (t) => {
  const sale = await paidSale();
  await tell(sale, [{}]);
  t.is(await tell(sale, [{ amountMinor: 500 }]), 'refunded');
  const { id } = await paymentOf(sale);
  const alert = { kind: 'money_lost', detail: { lost: '500 USD' } };
  t.like(await rowOf('alert', 'subject', String(id)), alert);
  t.deepEqual(await balances(sale), { buyer: 500, seller: 0, platform: -500 });
  const names = await eventNames(sale);
  t.is(names.filter((name) => name === 'purchase.refunded').length, 1);
  t.is(names.filter((name) => name === 'entitlement.refunded').length, 1);
});

test("the processor's event that beats our own answer is recorded once", async (t) => {
  const sale = await paidSale();
  const id = newPublicId('re_');
  await ask(sale, 1_900, id);
  await database.transaction((em) => markSubmitted(em, id));
  const fences = await Promise.all([1, 2, 3, 4, 5, 6].map(() => fenceFor(sale)));
  const fact = { refundId: id, processorId: `re_beats_${sale.purchaseId}` };
  await Promise.all(fences.map((fence) => tell(sale, [fact], fence)));
  const refunds = await testDatabase.query(
    'select r.id, r.status from refund r join payment p on p.id = r.payment_id where purchase_id = $1',
    [sale.purchaseId],
  );
  t.deepEqual(refunds, [{ id, status: 'succeeded' }]);
  t.deepEqual(await balances(sale), { buyer: 0, seller: 0, platform: 0 });
  t.is((await eventNames(sale)).filter((name) => name === 'entitlement.refunded').length, 1);
});

test('an older reading that arrives after a newer one never wins', async (t) => {
  const sale = await paidSale();
  const [older, newer] = [await fenceFor(sale), await fenceFor(sale)];
  const fact = { processorId: `re_old_${sale.purchaseId}` };
  await tell(sale, [fact], newer);
  await tell(sale, [{ ...fact, status: 'failed' }], older);
  t.like(await purchaseOf(sale), { status: 'refunded' });
});

for (const status of ['failed', 'canceled'] as const) {
  test(`a refund that the processor took and that ends ${status} raises an alert`, async (t) => {
    const sale = await paidSale();
    const fact = { processorId: `re_${status}_${sale.purchaseId}` };
    await tell(sale, [{ ...fact, status: 'pending' }]);
    await tell(sale, [{ ...fact, status, failure: 'lost_card' }]);
    const { id } = await rowOf('refund', 'processor_id', fact.processorId);
    t.like(await rowOf('alert', 'subject', String(id)), { kind: 'refund_failed' });
    t.like(await paymentOf(sale), { status: 'succeeded' });
  });
}

test.serial(
  'a refund that fails after it succeeded is a dated reversal, and access opens again',
  async (t) => {
    const sale = await paidSale();
    const fact = { processorId: `re_late_${sale.purchaseId}` };
    await tell(sale, [fact]);
    await testDatabase.advance(86_400_000);
    const failed = { ...fact, status: 'failed', failure: 'lost_card' } as const;
    t.is(await tell(sale, [failed]), 'cleared');
    t.true(await isActive(sale));
    t.like(await paymentOf(sale), { status: 'succeeded' });
    t.deepEqual(await balances(sale), { buyer: -1_900, seller: 1_710, platform: 190 });
    const { id } = await rowOf('refund', 'processor_id', fact.processorId);
    t.like(await rowOf('alert', 'subject', String(id)), { kind: 'refund_failed' });
    const [row] = await testDatabase.query<Record<string, unknown>>(
      `select status, failure, settled_at < reversed_at - interval '23 hours' as "isDated" from refund where processor_id = $1`,
      [fact.processorId],
    );
    t.deepEqual(row, { status: 'reversed', failure: 'lost_card', isDated: true });
    t.deepEqual((await eventNames(sale)).slice(-1), ['entitlement.created']);
    await tell(sale, [{ ...fact, status: 'failed' }]);
    t.deepEqual(await balances(sale), { buyer: -1_900, seller: 1_710, platform: 190 });
  },
);

test('a reversal opens nothing that something else has withdrawn', async (t) => {
  const withdrawn = await paidSale();
  await database.transaction((em) => withdrawAllAccess(em, withdrawn.personId));
  const gone = await paidSale();
  for (const sale of [withdrawn, gone]) {
    const fact = { processorId: `re_gone_${sale.purchaseId}` };
    await tell(sale, [fact]);
    if (sale === gone) {
      await testDatabase.query('update person set deleted_at = now() where id = $1', [
        sale.personId,
      ]);
    }
    t.is(await tell(sale, [{ ...fact, status: 'failed' }]), 'cleared');
    t.false(await isActive(sale));
  }
});

test('a refund beside another source of access is told as the purchase alone', async (t) => {
  const sale = await paidSale();
  await grant(sale);
  await tell(sale, [{}]);
  t.true(await isActive(sale));
  t.deepEqual((await eventNames(sale)).slice(-1), ['purchase.refunded']);
});

test('the ledger is only added to, and takes no booking that does not sum to zero', async (t) => {
  const sale = await paidSale();
  for (const statement of [
    'update ledger_entry set amount_minor = 1',
    'delete from ledger_entry',
    'truncate ledger_entry cascade',
  ]) {
    await t.throwsAsync(testDatabase.query(statement), { message: /only added to/ });
  }
  const { id } = await paymentOf(sale);
  const insert = `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
    values ('x', 'buyer', 'gross', 1, 'USD', $1)`;
  await t.throwsAsync(testDatabase.query(insert, [id]), { message: /does not sum to zero/ });
  await t.throwsAsync(
    testDatabase.query(
      `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
       select booking, account, kind, amount_minor, currency, payment_id from ledger_entry where payment_id = $1`,
      [id],
    ),
    { message: /unique constraint/ },
  );
});
