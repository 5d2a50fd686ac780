import test from 'ava';
import { createIntegrationRecorder } from '../../../domain/seal/integration-counts.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { DAY_MS, toDay } from '../../../domain/shared/instant.ts';
import { addUpChecks } from '../../../domain/usage/check-count.query.ts';
import { createUsageRecorder } from '../../../domain/usage/usage-recorder.command.ts';
import { now } from '../../../platform/database/database.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { createMemberships } from '../../support/subscriptions/memberships.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { database, goTo, load, query, stored, sum, testDatabase } from './figures.scene.ts';

const sales = createSales({ testDatabase, database });
const members = createMemberships({ testDatabase, database });
const deliveries = createDeliveryRows(testDatabase);
const quiet = { warn: () => undefined };

const isLastOfMonth = (at: Date) => new Date(at.getTime() + DAY_MS).getUTCDate() === 1;

async function priceIn(product: Awaited<ReturnType<typeof addProduct>>, currency: string) {
  const { productId, price } = product;
  const amountMinor = 2_500;
  const priceId = newUuid();
  await query(
    `insert into enabled_currency (currency) values ($1) on conflict (currency) do nothing`,
    [currency],
  );
  await query(
    `insert into price (id, offer_id, currency, amount_minor, is_base) values ($1, $2, $3, $4, false)`,
    [priceId, price.offerId, currency, amountMinor],
  );
  const { personId } = await addProduct(testDatabase);
  const ofCurrency = { ...price, priceId, amountMinor, currency, isBase: false };
  const sale = await sales.newSale({ personId, productId, price: ofCurrency });
  await sales.settle(sale, { amountMinor, currency });
  return sale;
}

/** What the ledger says of a product, by day, currency and direction: another way to the sums. */
async function ledgerOf(productId: string) {
  const found = await query<{ line: string }>(
    `select day || ' ' || kind || ' ' || currency || ' ' || n || ' ' || sum as line from (
       select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, currency,
         case when kind = 'gross' then 'sales' else 'refunds' end as kind,
         sum((kind = 'gross' or amount_minor > 0)::int) as n,
         sum(case when kind = 'gross' then -amount_minor else amount_minor end) as sum
       from ledger_entry
       where product_id = $1 and account = 'buyer' and kind <> 'loss' group by 1, 2, 3) e
     order by kind, currency, day`,
    [productId],
  );
  return found.map(({ line }) => line);
}

test.serial('money is summed by booking day and currency as the ledger has it', async (t) => {
  const product = await addProduct(testDatabase);
  const { productId } = product;
  const buy = async () =>
    sales.paidSale({ ...product, personId: (await addProduct(testDatabase)).personId });

  const lastDay = toDay(await goTo(22, isLastOfMonth));
  const [sold, disputed, won] = [await buy(), await buy(), await buy()];
  await priceIn(product, 'JPY');
  const dinars = await priceIn(product, 'KWD');
  const nextDay = toDay(await goTo(1));
  t.not(lastDay.slice(0, 7), nextDay.slice(0, 7));
  await sales.tell(sold, [{ amountMinor: 700 }]);
  await sales.tell(dinars, [{ amountMinor: 2_500, currency: 'KWD' } as { amountMinor: number }]);
  await sales.dispute(disputed, { status: 'lost', fees: [] });
  await sales.dispute(won, { status: 'lost', fees: [] });
  const dayAfter = toDay(await goTo(0, (at) => toDay(at) > nextDay));
  await sales.dispute(won, { status: 'won', fees: [] });
  await sum();

  const found = (await stored(productId)).filter((line) => !line.includes('XXX'));
  t.deepEqual(found, await ledgerOf(productId));
  t.true(found.includes(`${lastDay} sales USD 3 5700`));
  t.true(found.includes(`${lastDay} sales JPY 1 2500`));
  t.true(found.includes(`${lastDay} sales KWD 1 2500`));
  t.true(found.includes(`${nextDay} refunds USD 3 4500`));
  t.true(found.includes(`${nextDay} refunds KWD 1 2500`));
  t.true(found.includes(`${dayAfter} refunds USD 0 -1900`), 'the bank has decided for the seller');
  const dollars = await load(productId);
  t.is(dollars.total.revenueMinor, 5_700 - 700 - 1_900);
  t.deepEqual(dollars.currencies, ['JPY', 'KWD', 'USD']);
  t.is((await load(productId, { currency: 'JPY' })).total.revenueMinor, 2_500);
  t.is((await load(productId, { currency: 'KWD' })).total.revenueMinor, 0);
  t.is((await load(productId, { currency: 'EUR' })).total.revenueMinor, 0);
});

const customersOf = async (productId: string) =>
  (await load(productId)).days.map(({ customers }) => customers);

const announced = async (productId: string) => {
  const [row] = await query<{ n: number }>(
    `select count(*)::int as n from entitlement where product_id = $1 and announced_active`,
    [productId],
  );
  return row!.n;
};

test.serial(
  'customers are people with announced access: a Member once the product was opened',
  async (t) => {
    const product = await addProduct(testDatabase, { isIncluded: true });
    const { productId } = product;
    await goTo(10);
    const opened = await members.subscribe();
    await members.subscribe(); // and never opens it
    await members.open(opened, productId);
    const both = await members.subscribe();
    await members.open(both, productId);
    await sales.paidSale({ ...product, personId: both.personId });
    const bought = await sales.paidSale({ ...product, personId: await members.newPerson() });
    t.is((await customersOf(productId)).at(-1), 3);
    t.is(await announced(productId), 3);

    await goTo(10);
    await sum();
    t.deepEqual((await customersOf(productId)).slice(-2), [3, 3]);
    await sales.tell(bought, [{ amountMinor: 1_900 }]);
    t.deepEqual((await customersOf(productId)).slice(-2), [3, 2], 'today is as it is');
    t.is(await announced(productId), 2);
    await sum();
    t.deepEqual((await stored(productId)).filter((line) => line.includes('customers')).length, 2);
    const { customers } = (await load(productId)).strips;
    t.like(customers, { value: 2, before: 0, change: 2 });
  },
);

test.serial('access that ends or has yet to begin counts while it is open', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const today = await goTo(12);
  const at = (days: number) => new Date(today.getTime() + days * DAY_MS);
  for (const [startsAt, endsAt, withdrawnAt] of [
    [at(-3), at(-1), null], // to the day before yesterday's end
    [at(-3), null, at(-2)],
    [at(-3), null, null],
    [at(1), null, null],
  ]) {
    await query(
      `insert into access_grant (id, product_id, person_id, type, source, starts_at, ends_at, withdrawn_at)
       values ($1::uuid, $2, $3, 'complimentary', 'grant_' || $1::uuid, $4, $5, $6)`,
      [newUuid(), productId, await members.newPerson(), startsAt, endsAt, withdrawnAt],
    );
  }
  await sum();
  const days = [-3, -2, -1, 0].map((before) => toDay(at(before)));
  t.deepEqual(
    await stored(productId),
    [3, 2, 1, 1].map((count, index) => `${days[index]} customers XXX ${count} 0`),
  );
});

test.serial('checks are those that found access, and those that did not', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  await goTo(12);
  const check = async (openChecks: number, lockedChecks: number) => {
    const recorder = createUsageRecorder(database.pool, quiet);
    for (let n = 0; n < openChecks + lockedChecks; n += 1) {
      recorder.countCheck({ productId, personId, isKnown: true, isOpen: n < openChecks });
    }
    await recorder.close();
    while (await addUpChecks(database.pool, 100));
  };
  await check(5, 2);
  const day = toDay(await now(database.em()));
  const today = toDay(await goTo(12));
  await sum();
  await check(3, 0);
  t.deepEqual(await stored(productId), [
    `${day} checks_locked XXX 2 0`,
    `${day} checks_open XXX 5 0`,
  ]);
  const { days, strips } = await load(productId);
  t.deepEqual(
    days.slice(-2).map((each) => [each.day, each.open, each.locked, each.isToday]),
    [
      [day, 5, 2, false],
      [today, 3, 0, true],
    ],
  );
  t.like(strips.checks, { value: 10, before: 0, change: null });
});

test.serial('deliveries are accepted at once, by a retry, or failing', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const [endpoint] = await query<{ id: string }>(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
     values (gen_random_uuid(), $1, 1, 'https://hooks.example/', '{}', '') returning id`,
    [productId],
  );
  const made = { productId, endpointId: endpoint!.id };
  const day = toDay(await goTo(12));
  const recorder = createIntegrationRecorder(database, quiet);
  const send = async (
    firstError: string | null,
    left: Parameters<typeof deliveries.delivery>[0],
  ) => {
    recorder.noteFirstAttempt(productId, firstError === null);
    const deliveryId = await deliveries.delivery(left);
    await deliveries.attempt({ deliveryId, step: 0, error: firstError });
    return deliveryId;
  };
  for (let n = 0; n < 4; n += 1) await send(null, made);
  const retried = await send('timeout', made);
  await deliveries.attempt({ deliveryId: retried, step: 1 });
  const waiting = await send('timeout', { ...made, status: 'retrying', step: 1 });
  await send('refused', { ...made, status: 'dead', step: 5 });
  await send('refused', { ...made, status: 'cancelled', step: 2 });
  await deliveries.delivery({ ...made, status: 'pending' });
  await deliveries.delivery({ ...made, status: 'held' });
  // A test is no delivery of the product's.
  await deliveries.delivery({ ...made, status: 'dead', step: 5, eventName: 'webhook.test' });
  await recorder.close();

  const read = async () => {
    const { days, strips } = await load(productId);
    const found = days.find((each) => each.day === day)!;
    return [found.accepted, found.retried, found.failing, strips.deliveries.value];
  };
  t.deepEqual(await read(), [4, 1, 2, 71.4], 'today');
  await goTo(1);
  await sum();
  t.deepEqual(await stored(productId), [
    `${day} deliveries_accepted XXX 4 0`,
    `${day} deliveries_failing XXX 2 0`,
    `${day} deliveries_retried XXX 1 0`,
  ]);
  t.deepEqual(await read(), [4, 1, 2, 71.4]);
  await query('delete from delivery_state where delivery_id = $1', [waiting]);
  await sum();
  t.deepEqual(await read(), [4, 2, 1, 85.7], 'a later retry was accepted');
});
