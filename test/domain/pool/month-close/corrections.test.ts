import test from 'ava';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { FEE_MINOR, firstDays, monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close: closeDatabase } = await openTestDatabase();
test.after.always(closeDatabase);

const scene = createPoolScene({ testDatabase, database });
const { query, addIncluded, pay, returnMoney, use, exclude, close } = scene;
const [FIRST, SECOND, THIRD] = [monthsAgo(3), monthsAgo(2), monthsAgo(1)];

/** One Member with 2 days here and 1 there, in the first month. */
async function addMonth(currency: string) {
  const productIds = [(await addIncluded()).productId, (await addIncluded()).productId];
  const { personId, paymentId } = await pay({ month: FIRST, currency });
  for (const [place, productId] of productIds.entries()) {
    await use(personId, { productId, month: FIRST, mask: firstDays(2 - place) });
  }
  return { productIds, personId, paymentId, first: await close(FIRST, currency) };
}

const amountsOf = (rows: { amount: number }[]) => rows.map(({ amount }) => amount);

test('a refund before the freeze lowers the fee; a later one is a line of the next month', async (t) => {
  const { productIds, personId, paymentId, first } = await addMonth('USD');
  t.deepEqual(await scene.readAmounts(first, productIds), [
    { month: FIRST, place: 0, amount: 466, days: 2 },
    { month: FIRST, place: 1, amount: 233, days: 1 },
  ]);
  await returnMoney(paymentId, FEE_MINOR);
  const second = await close(SECOND);
  t.deepEqual(await scene.readAmounts(second, productIds), [
    { month: FIRST, place: 0, amount: -466, days: 0 },
    { month: FIRST, place: 1, amount: -233, days: 0 },
  ]);
  t.like(await scene.readPeriod(second), {
    status: 'computed',
    fees_minor: '-999',
    platform_minor: '-300',
    products_minor: '-699',
    unattributed_minor: '0',
    members: 0,
  });
  t.deepEqual(await scene.readMember(first, personId), {
    netMinor: FEE_MINOR,
    days: { [productIds[0]!]: 2, [productIds[1]!]: 1 },
  });
});

test('a refund that is reversed is corrected again, from what the last correction left', async (t) => {
  const { productIds, paymentId, first } = await addMonth('EUR');
  await returnMoney(paymentId, 500);
  const second = await close(SECOND, 'EUR');
  t.deepEqual(
    amountsOf(await scene.readAmounts(second, productIds)),
    [466, 233].map((amount, place) => amountsAfter(499)[place]! - amount),
  );
  await returnMoney(paymentId, 0);
  const third = await close(THIRD, 'EUR');
  t.deepEqual(
    amountsOf(await scene.readAmounts(third, productIds)),
    [466, 233].map((amount, place) => amount - amountsAfter(499)[place]!),
  );
  t.deepEqual(
    await scene.readAmounts(null, productIds),
    await scene.readAmounts(first, productIds),
  );
});

/** 2 days of 3 and 1 of 3 of 70 % of the fee. */
function amountsAfter(netMinor: number): [number, number] {
  const pot = Math.floor((netMinor * 7) / 10);
  const small = Math.round(pot / 3);
  return [pot - small, small];
}

test('without a change there is no correction', async (t) => {
  const { productIds, paymentId } = await addMonth('GBP');
  await returnMoney(paymentId, 100);
  await close(SECOND, 'GBP');
  const third = await close(THIRD, 'GBP');
  t.like(await scene.readPeriod(third), { status: 'empty' });
  t.is((await scene.readAmounts(third, productIds)).length, 0);
});

test('a processor’s fee that is named after the freeze counts with the next refund', async (t) => {
  const { productIds, paymentId, first } = await addMonth('HKD');
  await scene.tellFee(paymentId, 59);
  await returnMoney(paymentId, 400);
  const second = await close(SECOND, 'HKD');
  t.deepEqual(
    amountsOf(await scene.readAmounts(second, productIds)),
    amountsOf(await scene.readAmounts(first, productIds)).map(
      (amount, place) => amountsAfter(FEE_MINOR - 59 - 400)[place]! - amount,
    ),
  );
});

test('excluded evidence of a frozen month goes to the Member’s other products', async (t) => {
  const { productIds, personId } = await addMonth('CAD');
  await exclude(personId, { productId: productIds[0]!, month: FIRST });
  const second = await close(SECOND, 'CAD');
  t.deepEqual(await scene.readAmounts(second, productIds), [
    { month: FIRST, place: 0, amount: -466, days: -2 },
    { month: FIRST, place: 1, amount: 466, days: 0 },
  ]);
});

test('a Member whose only product is excluded leaves the pot unattributed', async (t) => {
  const { productIds, personId } = await addMonth('AUD');
  for (const productId of productIds) await exclude(personId, { productId, month: FIRST });
  const second = await close(SECOND, 'AUD');
  t.like(await scene.readPeriod(second), {
    fees_minor: '0',
    products_minor: '-699',
    unattributed_minor: '699',
  });
});

test('the days of a correction are the frozen ones: evidence is not read again', async (t) => {
  const { productIds, personId, paymentId } = await addMonth('NZD');
  await query(`update usage_month set person_id = gen_random_uuid() where person_id = $1`, [
    personId,
  ]);
  await returnMoney(paymentId, FEE_MINOR);
  const second = await close(SECOND, 'NZD');
  t.deepEqual(amountsOf(await scene.readAmounts(second, productIds)), [-466, -233]);
});

// A setting is that of every currency: this test runs before the others.
test.serial('a refunded year corrects each frozen month, by the terms of that month', async (t) => {
  const { productId } = await addIncluded();
  const { personId, paymentId } = await pay({
    month: FIRST,
    currency: 'CHF',
    interval: 'year',
    grossMinor: 12_000,
  });
  for (const month of [FIRST, SECOND]) {
    await use(personId, { productId, month, mask: firstDays(1) });
  }
  await query(
    `insert into pool_setting (pool_share_bps, minimum_minor, since) values (5000, 1000, $1)`,
    [`${SECOND}-05T00:00:00Z`],
  );
  await close(FIRST, 'CHF');
  await close(SECOND, 'CHF');
  await query(`delete from pool_setting where pool_share_bps = 5000`);
  await returnMoney(paymentId, 12_000);
  const third = await close(THIRD, 'CHF');
  t.deepEqual(await scene.readAmounts(third, [productId]), [
    { month: FIRST, place: 0, amount: -700, days: 0 },
    { month: SECOND, place: 0, amount: -500, days: 0 },
  ]);
  t.deepEqual(await scene.readMember(third, personId), { netMinor: 0, days: {} });
});

test('a charge that becomes known after the freeze is a Member without days', async (t) => {
  await close(FIRST, 'SEK');
  const { personId } = await pay({ month: FIRST, currency: 'SEK' });
  const second = await close(SECOND, 'SEK');
  t.like(await scene.readPeriod(second), {
    fees_minor: '999',
    platform_minor: '300',
    unattributed_minor: '699',
  });
  t.is(await scene.readMember(second, personId), null);
});

test('a month whose key is erased is not corrected', async (t) => {
  const { paymentId, first } = await addMonth('NOK');
  await query(`update pool_period set encrypted_key = null where id = $1`, [first]);
  await returnMoney(paymentId, FEE_MINOR);
  t.like(await scene.readPeriod(await close(SECOND, 'NOK')), { status: 'empty' });
});

test('a correction belongs to the owner of the corrected line', async (t) => {
  const { productIds, paymentId } = await addMonth('DKK');
  const owners = () =>
    query<{ person_id: string }>(`select distinct person_id from pool_line where product_id = $1`, [
      productIds[0],
    ]);
  const before = await owners();
  await query(`update product set owner_person_id = $2 where id = $1`, [
    productIds[0],
    await scene.addPerson(),
  ]);
  await returnMoney(paymentId, FEE_MINOR);
  await close(SECOND, 'DKK');
  t.deepEqual(await owners(), before);
});

test('the platform’s statement with corrections is reproduced from its snapshot', async (t) => {
  const { paymentId } = await addMonth('PLN');
  await returnMoney(paymentId, 300);
  await pay({ month: SECOND, currency: 'PLN' });
  const periodId = await close(SECOND, 'PLN');
  const snapshot = await scene.readText({ periodId, file: 'snapshot' });
  t.regex(snapshot, /"net_minor_after":"699","net_minor_before":"999"/);
  const statement = await scene.readText({ periodId, file: 'statement' });
  t.regex(statement, new RegExp(`"correction_of":"${FIRST}"`));
});
