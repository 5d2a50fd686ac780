import test from 'ava';
import { isRefusal } from '../../../../domain/shared/refusal.ts';
import { decideAttribution } from '../../../../domain/billing/checkout/attribution.ts';
import { recordCheckout } from '../../../../domain/billing/checkout/record-checkout.repository.ts';
import { applyReading } from '../../../../domain/billing/purchases/apply-purchase.command.ts';
import { takeFencingToken } from '../../../../domain/billing/purchases/purchase.repository.ts';
import {
  findReceipt,
  issueReceipt,
} from '../../../../domain/billing/receipts/receipt.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { addProduct } from '../../../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

async function newSale() {
  const product = await addProduct(testDatabase);
  const attribution = decideAttribution(null);
  const opened = await database.transaction((em) =>
    recordCheckout(em, { ...product, attribution }),
  );
  if (!opened || isRefusal(opened)) throw new Error('not opened');
  return { ...product, ...opened };
}

type Sale = Awaited<ReturnType<typeof newSale>>;
type Reading = Parameters<typeof applyReading>[1]['reading'];

async function apply({ purchaseId }: Sale, status: Reading['status'], change = {}) {
  const fence = await database.transaction((em) => takeFencingToken(em, purchaseId));
  const paid = { amountMinor: 1_900, currency: 'USD', paymentIntentId: `pi_${purchaseId}` };
  const reading = { ...paid, status, ...change };
  const settlement = { purchaseId, fence, reading, processor: 'simulator' };
  return database.transaction((em) => applyReading(em, settlement));
}

async function mailsOf({ purchaseId }: Sale) {
  return testDatabase.query<{ address: string; sent: number }>(
    `select m.address, (select count(*)::int from outbox where workflow_id = 'mail:' || m.id) as sent
     from mail_token m where m.purchase_id = $1`,
    [purchaseId],
  );
}

const receiptOf = ({ purchaseId }: Sale) => findReceipt(database.em(), purchaseId);

test('a purchase that clears has a receipt and one mail with it, in the same transaction', async (t) => {
  const sale = await newSale();
  await apply(sale, 'clearing');
  t.is(await receiptOf(sale), null);
  await apply(sale, 'paid');
  const { purchaseId } = sale;
  t.like(await receiptOf(sale), {
    purchaseId,
    grossMinor: 1_900,
    currency: 'USD',
    sellerName: 'P',
  });
  const [mail, ...others] = await mailsOf(sale);
  t.is(others.length, 0);
  t.is(mail!.sent, 1);
  t.regex(mail!.address, /@example\.com$/);
});

test('a receipt and its mail are made exactly once, however often and however many at once it is settled', async (t) => {
  const sale = await newSale();
  await Promise.all(Array.from({ length: 6 }, () => apply(sale, 'paid')));
  // As after a dispute that was lost and won on appeal.
  await database.transaction((em) => issueReceipt(em, sale.purchaseId));
  t.is((await mailsOf(sale)).length, 1);
});

test('what does not clear has no receipt', async (t) => {
  const [failed, wrong] = [await newSale(), await newSale()];
  t.is(await apply(failed, 'failed'), 'failed');
  t.is(await apply(wrong, 'paid', { amountMinor: 1 }), 'quarantined');
  for (const sale of [failed, wrong]) {
    t.is(await receiptOf(sale), null);
    t.deepEqual(await mailsOf(sale), []);
  }
});

test('a clearing that is rolled back leaves neither receipt nor mail', async (t) => {
  const sale = await newSale();
  await testDatabase.query(
    `alter table payment add constraint refuse_${sale.purchaseId} check (purchase_id <> '${sale.purchaseId}')`,
  );
  await t.throwsAsync(apply(sale, 'paid'));
  t.is(await receiptOf(sale), null);
  t.deepEqual(await mailsOf(sale), []);
});

test('a receipt keeps the names of its day', async (t) => {
  const sale = await newSale();
  await apply(sale, 'paid');
  await testDatabase.query(`update product set name = 'Renamed' where id = $1`, [sale.productId]);
  await testDatabase.query(`update person set display_name = 'Somebody' where id = $1`, [
    sale.personId,
  ]);
  t.like(await receiptOf(sale), { productName: 'P', sellerName: 'P' });
});

test('money for a buyer who has gone makes neither receipt nor mail', async (t) => {
  const sale = await newSale();
  await testDatabase.query(`update person set deleted_at = now(), email = '' where id = $1`, [
    sale.personId,
  ]);
  await apply(sale, 'paid');
  t.is(await receiptOf(sale), null);
  t.deepEqual(await mailsOf(sale), []);
});
