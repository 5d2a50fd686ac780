import test from 'ava';
import { isRefusal } from '../../../../domain/shared/refusal.ts';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';
import { decideAttribution } from '../../../../domain/billing/checkout/attribution.ts';
import { attachSession } from '../../../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../../../domain/billing/checkout/record-checkout.repository.ts';
import { recordProcessorEvent } from '../../../../domain/billing/processor-inbox/inbox.repository.ts';
import {
  abandonPurchase,
  applyReading,
} from '../../../../domain/billing/purchases/apply-purchase.command.ts';
import {
  takeFencingToken,
  type FencingToken,
} from '../../../../domain/billing/purchases/purchase.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { addProduct } from '../../../support/catalog/scene.ts';

const DAY_MS = 86_400_000;

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

type Sale = { personId: string; productId: string; purchaseId: string; checkoutId: string };

async function open({ personId, productId, price }: Awaited<ReturnType<typeof addProduct>>) {
  const attribution = decideAttribution(null);
  const opened = await database.transaction((em) =>
    recordCheckout(em, { personId, productId, price, attribution }),
  );
  if (opened && isRefusal(opened)) throw new Error(opened.refused);
  return opened;
}

async function newSale(): Promise<Sale> {
  const product = await addProduct(testDatabase);
  const { checkoutId, purchaseId } = (await open(product))!;
  return { ...product, checkoutId, purchaseId };
}

const fenceFor = ({ purchaseId }: Sale) =>
  database.transaction((em) => takeFencingToken(em, purchaseId));

type PaidReading = Parameters<typeof applyReading>[1]['reading'];

function apply(sale: Sale, fence: FencingToken, reading: Partial<PaidReading> = {}) {
  return database.transaction((em) =>
    applyReading(em, {
      purchaseId: sale.purchaseId,
      fence,
      reading: {
        status: 'paid',
        amountMinor: 1900,
        currency: 'USD',
        paymentIntentId: `pi_${sale.purchaseId}`,
        ...reading,
      },
      processor: 'simulator',
    }),
  );
}

const say = (sale: Sale, id: string) =>
  database.transaction((em) =>
    recordProcessorEvent(em, {
      processor: 'simulator',
      id,
      type: 'checkout.session.completed',
      purchaseId: sale.purchaseId,
      body: { data: { object: { id: `cs_${sale.checkoutId}` } } },
    }),
  );

async function eventNames({ productId }: Sale): Promise<string[]> {
  const events = await testDatabase.query<{ name: string }>(
    'select name from event where product_id = $1 order by created_at, id',
    [productId],
  );
  return events.map(({ name }) => name);
}

async function statusOf({ purchaseId }: Sale): Promise<string | undefined> {
  const [row] = await testDatabase.query<{ status: string }>(
    'select status from purchase where id = $1',
    [purchaseId],
  );
  return row?.status;
}

test('a double click on pay opens one checkout per person and product', async (t) => {
  const product = await addProduct(testDatabase);
  const opened = await Promise.all(Array.from({ length: 8 }, () => open(product)));
  t.is(opened.filter(Boolean).length, 1);
});

test('what is owned, or clearing, is not sold again, whatever the buy link saw before', async (t) => {
  for (const status of ['paid', 'clearing'] as const) {
    const product = await addProduct(testDatabase);
    const sale = { ...product, ...(await open(product))! };
    await apply(sale, await fenceFor(sale), { status });
    await t.throwsAsync(open(product), { message: 'already_owned' });
  }
});

test('the same processor event many at once has one effect', async (t) => {
  const sale = await newSale();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => say(sale, `evt_${sale.purchaseId}`)),
  );
  t.is(answers.filter(({ isNew }) => isNew).length, 1);
  const messages = await testDatabase.query(
    `select 1 from outbox where workflow_id = $1 and message->>'kind' = 'processor_event'`,
    [`purchase:${sale.purchaseId}`],
  );
  t.is(messages.length, 1);
});

test('an event for a purchase that nobody knows is kept and dead-lettered', async (t) => {
  const unknown = { personId: '', productId: '', checkoutId: 'x', purchaseId: 'pay_unknown' };
  t.deepEqual(await say(unknown, 'evt_unknown'), { isNew: true, isDeadLettered: true });
});

test('eight readings of a paid checkout at once: one payment, one grant, each event once', async (t) => {
  const sale = await newSale();
  await say(sale, `evt_${sale.purchaseId}`);
  const fences = await Promise.all(Array.from({ length: 8 }, () => fenceFor(sale)));
  t.is(new Set(fences.map(({ sequence }) => sequence)).size, 8);
  await Promise.all(fences.map((fence) => apply(sale, fence)));
  t.deepEqual(await eventNames(sale), ['purchase.completed', 'entitlement.created']);
  const payments = await testDatabase.query(
    'select gross_minor, currency, cut_minor, status from payment where purchase_id = $1',
    [sale.purchaseId],
  );
  t.deepEqual(payments, [
    { gross_minor: '1900', currency: 'USD', cut_minor: '190', status: 'succeeded' },
  ]);
  t.like(await readAccess(database.pool, sale), { isActive: true, source: sale.purchaseId });
  const open = await testDatabase.query(
    'select 1 from processor_event where purchase_id = $1 and handled_at is null',
    [sale.purchaseId],
  );
  t.deepEqual(open, []);
});

test('an older reading that arrives after a newer one never wins', async (t) => {
  const sale = await newSale();
  const [older, newer] = [await fenceFor(sale), await fenceFor(sale)];
  await apply(sale, newer);
  const late = await apply(sale, older, { status: 'expired' });
  t.is(late, 'cleared');
  t.is(await statusOf(sale), 'cleared');
});

test('clearing that takes days is visible, without access until it has cleared', async (t) => {
  const sale = await newSale();
  t.is(await apply(sale, await fenceFor(sale), { status: 'clearing' }), 'clearing');
  t.is(await statusOf(sale), 'clearing');
  t.like(await readAccess(database.pool, sale), { isActive: false });
  t.is(await apply(sale, await fenceFor(sale)), 'cleared');
  t.like(await readAccess(database.pool, sale), { isActive: true });
});

test('a paid amount or currency that differs from the snapshot never becomes access', async (t) => {
  for (const differing of [{ amountMinor: 1800 }, { currency: 'EUR' }]) {
    const sale = await newSale();
    await apply(sale, await fenceFor(sale), differing);
    t.is(await statusOf(sale), 'quarantined');
    t.like(await readAccess(database.pool, sale), { isActive: false });
    t.deepEqual(await eventNames(sale), []);
  }
});

test('a second purchase that is paid for what is owned already is quarantined', async (t) => {
  const product = await addProduct(testDatabase);
  const sales: Sale[] = [];
  for (let count = 0; count < 2; count += 1) {
    const opened = (await open(product))!;
    sales.push({ ...product, ...opened });
    await testDatabase.query(`update checkout set status = 'replaced' where id = $1`, [
      opened.checkoutId,
    ]);
  }
  const paid = sales.map(async (sale) => apply(sale, await fenceFor(sale)));
  const statuses = await Promise.all(paid);
  t.deepEqual(statuses.toSorted(), ['cleared', 'quarantined']);
  t.deepEqual(await eventNames(sales[0]!), ['purchase.completed', 'entitlement.created']);
});

test('money that arrives after the session expired here still becomes the order', async (t) => {
  const sale = await newSale();
  await apply(sale, await fenceFor(sale), { status: 'expired', paymentIntentId: null });
  t.is(await statusOf(sale), 'canceled');
  await apply(sale, await fenceFor(sale));
  t.is(await statusOf(sale), 'cleared');
});

test('a session whose tie was lost in a crash is found in the words of the processor', async (t) => {
  const sale = await newSale();
  t.is((await fenceFor(sale)).sessionId, null);
  await say(sale, `evt_${sale.purchaseId}`);
  t.is((await fenceFor(sale)).sessionId, `cs_${sale.checkoutId}`);
});

// It moves the clock that the other tests read.
test.serial(
  'an intent that never reached the processor is abandoned when its time is over',
  async (t) => {
    const [sale, other] = [await newSale(), await newSale()];
    const expiresAt = new Date(Date.now() + DAY_MS);
    const session = { sessionId: 'cs_other', url: 'http://localhost/', expiresAt };
    await attachSession(database.em(), other.checkoutId, session);
    await abandonPurchase(database.em(), { ...sale, remainingMs: 0 });
    t.is(await statusOf(sale), 'pending');
    await testDatabase.advance(DAY_MS);
    for (const { purchaseId } of [sale, other]) {
      await abandonPurchase(database.em(), { purchaseId, remainingMs: 0 });
    }
    t.is(await statusOf(sale), 'canceled');
    t.is(await statusOf(other), 'pending');
  },
);

test('money that was booked for another purchase pays for nothing', async (t) => {
  const [paid, other] = [await newSale(), await newSale()];
  const reading = { paymentIntentId: `pi_${paid.purchaseId}` };
  await apply(paid, await fenceFor(paid), reading);
  t.is(await apply(other, await fenceFor(other), reading), 'pending');
  t.deepEqual(await eventNames(other), []);
  const alerts = await testDatabase.query<{ kind: string }>(
    'select kind from alert where subject = $1 and resolved_at is null',
    [other.purchaseId],
  );
  t.deepEqual(alerts, [{ kind: 'processor_state' }]);
});
