import test from 'ava';
import { readPoolInput } from '../../../../domain/pool/fees-and-days/member-months.repository.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { FEE_MINOR, firstDays, maskOf, monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const scene = createPoolScene({ testDatabase, database });
const { query, addIncluded, addTeam, pay, returnMoney, tellFee, use, exclude } = scene;
const MONTH = monthsAgo(1);
const BEFORE = monthsAgo(2);
const LONG_AGO = monthsAgo(12);

/** What the pool knows of a person for a month; null of one who is no Member. */
async function read(personId: string, { month = MONTH, currency = 'USD' } = {}) {
  for await (const batch of readPoolInput(database, { month, currency })) {
    const found = batch.find((member) => member.personId === personId);
    if (found) {
      const days = found.products.map(({ productId, days }) => [productId, days] as const);
      return { netMinor: found.netMinor, days: Object.fromEntries(days) };
    }
  }
  return null;
}

test('a monthly charge belongs wholly to the month in which it succeeded', async (t) => {
  const { personId } = await pay({ month: BEFORE });
  t.deepEqual(await read(personId, { month: BEFORE }), { netMinor: FEE_MINOR, days: {} });
  t.is(await read(personId), null);
});

test('a yearly charge belongs to its month and the next eleven', async (t) => {
  const { personId } = await pay({ month: LONG_AGO, interval: 'year', grossMinor: 10_000 });
  const fees = [];
  for (const months of [13, 12, 8, 7, 1, 0]) {
    fees.push((await read(personId, { month: monthsAgo(months) }))?.netMinor ?? null);
  }
  t.deepEqual(fees, [null, 834, 833, 833, 833, null]);
});

test('a membership paid in a currency feeds that currency only', async (t) => {
  const { personId } = await pay({ month: MONTH });
  await pay({ personId, month: MONTH, currency: 'EUR', grossMinor: 899 });
  t.is((await read(personId))?.netMinor, FEE_MINOR);
  t.is((await read(personId, { currency: 'EUR' }))?.netMinor, 899);
});

test('a person who paid twice is one Member', async (t) => {
  const { personId } = await pay({ month: MONTH });
  await pay({ personId, month: MONTH });
  t.is((await read(personId))?.netMinor, 2 * FEE_MINOR);
});

test('what was refunded so far is no part of the fee', async (t) => {
  const { personId, paymentId } = await pay({ month: MONTH });
  await returnMoney(paymentId, 400);
  t.is((await read(personId))?.netMinor, FEE_MINOR - 400);
  await returnMoney(paymentId, FEE_MINOR);
  t.is((await read(personId))?.netMinor, 0);
});

test("the processor's fee is no part of the fee where it is known", async (t) => {
  const { personId, paymentId } = await pay({ month: MONTH });
  await tellFee(paymentId, 59);
  t.is((await read(personId))?.netMinor, FEE_MINOR - 59);
  await returnMoney(paymentId, 400);
  t.is((await read(personId))?.netMinor, FEE_MINOR - 59 - 400);
  await pay({ personId, month: MONTH });
  t.is((await read(personId))?.netMinor, 2 * FEE_MINOR - 59 - 400);
});

test('what a yearly charge costs at the processor is spread with it', async (t) => {
  const yearly = { month: LONG_AGO, interval: 'year', grossMinor: 10_000 } as const;
  const { personId, paymentId } = await pay(yearly);
  await tellFee(paymentId, 320);
  const fees = [];
  for (const months of [12, 5, 4]) {
    fees.push((await read(personId, { month: monthsAgo(months) }))?.netMinor ?? null);
  }
  t.deepEqual(fees, [807, 807, 806]);
});

test('a charge whose money did not arrive is none', async (t) => {
  const { personId, paymentId } = await pay({ month: MONTH });
  await query(`update payment set status = 'clearing' where id = $1`, [paymentId]);
  t.is(await read(personId), null);
});

test('qualified days on Included products count, whoever bought the product', async (t) => {
  const [one, other, unlisted] = [await addIncluded(), await addIncluded(), newUuid()];
  const { personId } = await pay({ month: MONTH });
  await use(personId, { productId: one.productId, month: MONTH, mask: maskOf(1, 5, 28) });
  await use(personId, { productId: other.productId, month: MONTH, mask: 0 });
  await use(personId, { productId: other.productId, month: BEFORE, mask: firstDays(3) });
  await use(personId, { productId: unlisted, month: MONTH, mask: firstDays(9) });
  await query(
    `insert into access_grant (id, product_id, person_id, type, source, starts_at)
     values (gen_random_uuid(), $1, $2, 'purchase', 'pur', '2020-01-01')`,
    [one.productId, personId],
  );
  t.deepEqual(await read(personId), { netMinor: FEE_MINOR, days: { [one.productId]: 3 } });
});

test('only days count on which the product was Included', async (t) => {
  const { productId } = await addIncluded();
  const { personId } = await pay({ month: MONTH });
  await use(personId, { productId, month: MONTH, mask: firstDays(28) });
  await query(`update included_span set ended_at = $2 where product_id = $1`, [
    productId,
    `${MONTH}-03T00:00:00Z`,
  ]);
  await query(`insert into included_span (product_id, started_at, ended_at) values ($1, $2, $3)`, [
    productId,
    `${MONTH}-20T18:00:00Z`,
    `${MONTH}-21T06:00:00Z`,
  ]);
  t.deepEqual((await read(personId))?.days, { [productId]: 4 });
});

test('days with complimentary access do not count', async (t) => {
  const { productId } = await addIncluded();
  const { personId } = await pay({ month: MONTH });
  await use(personId, { productId, month: MONTH, mask: firstDays(10) });
  const give = (source: string, ends: (string | null)[]) =>
    query(
      `insert into access_grant (id, product_id, person_id, type, source, starts_at, ends_at, withdrawn_at)
       values (gen_random_uuid(), $1, $2, 'complimentary', $3, $4, $5, $6)`,
      [productId, personId, source, `${MONTH}-02T12:00:00Z`, ...ends],
    );
  await give('grant_1', [`${MONTH}-20T00:00:00Z`, `${MONTH}-04T00:00:00Z`]);
  t.deepEqual((await read(personId))?.days, { [productId]: 8 });
  await give('grant_2', [null, null]);
  t.deepEqual((await read(personId))?.days, { [productId]: 1 });
});

test('days in the own team do not count, nor those in a team that was left', async (t) => {
  const teamId = await addTeam();
  const { productId } = await addIncluded({ teamId });
  const [member, former] = [await pay({ month: MONTH }), await pay({ month: MONTH })];
  for (const { personId } of [member, former]) {
    await use(personId, { productId, month: MONTH, mask: firstDays(10) });
    await query(
      `insert into team_member (team_id, person_id, role, created_at) values ($1, $2, 'developer', $3)`,
      [teamId, personId, `${MONTH}-04T12:00:00Z`],
    );
  }
  await query(`delete from team_member where person_id = $1`, [former.personId]);
  t.deepEqual((await read(member.personId))?.days, { [productId]: 3 });
  await query(`update team_stay set ended_at = $2 where person_id = $1`, [
    former.personId,
    `${MONTH}-06T00:00:00Z`,
  ]);
  t.deepEqual((await read(former.personId))?.days, { [productId]: 8 });
});

test('a lone builder earns nothing with the own product', async (t) => {
  const { productId, personId } = await addIncluded();
  await pay({ personId: personId!, month: MONTH });
  await use(personId!, { productId, month: MONTH, mask: firstDays(10) });
  t.deepEqual((await read(personId!))?.days, {});
});

test('excluded evidence does not count in its month', async (t) => {
  const { productId } = await addIncluded();
  const { personId } = await pay({ month: MONTH });
  await pay({ personId, month: BEFORE });
  for (const month of [MONTH, BEFORE]) {
    await use(personId, { productId, month, mask: firstDays(5) });
  }
  await exclude(personId, { productId, month: MONTH });
  t.deepEqual((await read(personId))?.days, {});
  t.deepEqual((await read(personId, { month: BEFORE }))?.days, { [productId]: 5 });
});

test('evidence of an account deleted meanwhile stays counted', async (t) => {
  const { productId } = await addIncluded();
  const { personId } = await pay({ month: MONTH });
  await use(personId, { productId, month: MONTH, mask: firstDays(5) });
  await query(`update person set deleted_at = now() where id = $1`, [personId]);
  t.deepEqual(await read(personId), { netMinor: FEE_MINOR, days: { [productId]: 5 } });
});

// Without statistics of their currency, as in the first month of a new one.
test('Members come in the order of persons, each once, however many there are', async (t) => {
  const month = monthsAgo(3);
  await query(
    `with made as (
       insert into person (id, handle, display_name, email)
       select md5('p' || n)::uuid, 'many_' || n, 'P', 'many_' || n || '@example.com'
       from generate_series(1, 30000) n returning id),
     price as (
       insert into member_price (id, currency, billing_interval, amount_minor, retired_at)
       values (gen_random_uuid(), 'GBP', 'month', 500, now()) returning id),
     joined as (
       insert into membership (id, person_id, status, price_id, amount_minor, currency, billing_interval)
       select made.id, made.id, 'ended', price.id, 500, 'GBP', 'month' from made, price returning id)
     insert into payment (id, membership_id, gross_minor, currency, cut_minor, status, processor_id, created_at)
     select 'pay_' || id, id, 500, 'GBP', 0, 'succeeded', id::text, $1 from joined`,
    [`${month}-01T00:00:00Z`],
  );
  const people: string[] = [];
  for await (const batch of readPoolInput(database, { month, currency: 'GBP' })) {
    t.true(batch.length <= 500);
    people.push(...batch.map(({ personId }) => personId));
  }
  t.is(people.length, 30_000);
  t.deepEqual(people, [...new Set(people)].toSorted());
});
