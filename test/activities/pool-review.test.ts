import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createPoolPeriodActivities } from '../../activities/pool/period.activities.ts';
import type { ReviewFigure } from '../../domain/pool/review/review-rules.ts';
import { createEncryptor, createTokenSigner } from '../../domain/shared/secrets.ts';
import { startApi } from '../support/http/api.ts';
import { addLine, addPeriod } from '../support/pool/period-rows.ts';

const api = await startApi();
const { query } = api.test;
const keys = [{ id: 'test', key: randomBytes(32) }];
const [encryptor, signer] = [createEncryptor(keys), createTokenSigner(keys)];
const { reviewPool } = createPoolPeriodActivities({ ...api, encryptor, signer });

const [{ month, start }] = (await query<{ month: string; start: Date }>(
  `select to_char(at, 'YYYY-MM') as month, at at time zone 'UTC' as start
   from (select date_trunc('month', gatehouse_now() at time zone 'UTC') as at) now`,
)) as [{ month: string; start: Date }];

/** An instant of the month: its day, and the time of day. */
const at = (day: number, time: string) => `${month}-${String(day).padStart(2, '0')}T${time}Z`;

const firstDays = (days: number) => 2 ** days - 1;

const owner = await api.seed.person({ isBuilder: true });
const [editor, planner, unused] = [
  await includedProduct('Editor'),
  await includedProduct('Planner'),
  await includedProduct('Unused'),
];

async function includedProduct(name: string) {
  const product = await api.seed.product({ owner, name, includedWithMember: true });
  await query(`update included_span set started_at = $2 where product_id = $1`, [
    product.id,
    new Date(start.getTime() - 1_000),
  ]);
  return product;
}

const [price] = await query<{ id: string }>(
  `insert into member_price (id, currency, billing_interval, amount_minor)
   values (gen_random_uuid(), 'EUR', 'month', 999) returning id`,
);

type Charge = {
  interval?: 'month' | 'year';
  currency?: string;
  status?: string;
  /** Months before the one under review. */
  monthsAgo?: number;
};

/** Somebody with a charge for Member. */
async function member(charge: Charge = {}, createdAt = '2020-01-01T00:00:00Z') {
  const { interval = 'month', currency = 'EUR', status = 'succeeded', monthsAgo = 0 } = charge;
  const { id } = await api.seed.person();
  await query('update person set created_at = $2 where id = $1', [id, createdAt]);
  await query(
    `with taken as (
       insert into membership (id, person_id, status, price_id, amount_minor, currency,
         billing_interval)
       values (gen_random_uuid(), $1, 'active', $2, 999, $3, $4) returning id)
     insert into payment (id, membership_id, gross_minor, currency, cut_minor, status, processor_id,
       created_at)
     select 'ch_' || id, id, 999, $3, 0, $5, 'in_' || id,
       $6::timestamptz - make_interval(months => $7) + interval '1 day' from taken`,
    [id, price!.id, currency, interval, status, start, monthsAgo],
  );
  return id;
}

type Use = { days: number; first?: string; last?: string };

async function use(
  personId: string,
  product: { id: string },
  { days, first = '08:00:00', last = '17:30:00' }: Use,
): Promise<void> {
  await query(
    `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     values ($1, $2, $3, $4, $5, 0, $6, 0, 0, 0, $6)`,
    [personId, product.id, `${month}-01`, at(1, first), at(days, last), firstDays(days)],
  );
}

async function signInFrom(address: string, persons: readonly string[], ago = '0 days') {
  await query(
    `insert into sign_in_address (person_id, address, last_at)
     select person, $1, gatehouse_now() - $3::interval from unnest($2::uuid[]) person`,
    [address, persons, ago],
  );
}

async function people(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await api.seed.person()).id);
  return made;
}

const figuresOf = async (periodId: string, { id }: { id: string }) => {
  const [row] = await query<{ figures: ReviewFigure[]; is_listed: boolean }>(
    'select figures, is_listed from pool_review where period_id = $1 and product_id = $2',
    [periodId, id],
  );
  const bps = row?.figures.map(({ rule, figureBps, isOver }) => [rule, figureBps, isOver]);
  return row && { bps, isListed: row.is_listed };
};

async function addComputed(currency: string) {
  const id = `${month}:${currency}`;
  await addPeriod(api.test, { id, status: 'computed' });
  for (const { id: productId } of [editor, planner, unused]) {
    await addLine(api.test, { periodId: id, productId, personId: owner.id, amountMinor: 1 });
  }
  return id;
}

test.after.always(() => api.close());

/** Days without a charge of the month and currency, excluded, given, and of the own house. */
async function useUncounted(): Promise<void> {
  const others = [
    (await api.seed.person()).id,
    await member({ currency: 'USD' }),
    await member({ status: 'failed' }),
    await member({ monthsAgo: 1 }),
    await member({ interval: 'year', monthsAgo: 12 }),
    owner.id,
  ];
  const [excluded, given] = [await member(), await member()];
  await query(`insert into pool_exclusion values ($1, $2, $3, 'Made', $4)`, [
    excluded,
    editor.id,
    `${month}-01`,
    owner.id,
  ]);
  await query(
    `insert into access_grant (id, product_id, person_id, type, source, starts_at)
     values (gen_random_uuid(), $1, $2, 'complimentary', 'grant_x', $3)`,
    [editor.id, given, new Date(start.getTime() - 1_000)],
  );
  for (const personId of [...others, excluded, given]) await use(personId, editor, { days: 25 });
}

test.serial('the figures of a month are those that a hand counts', async (t) => {
  // Ten use Editor alone, on ten days each; one of them pays by the year since eleven months.
  const alone: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    alone.push(await member({}, n < 2 ? at(1, '00:00:00') : undefined));
  }
  alone.push(await member({ interval: 'year', monthsAgo: 11 }));
  for (const [n, personId] of alone.entries()) {
    const timed = { 7: ['03:00:00', '03:00:40'], 8: ['23:59:50', '00:00:20'] }[n];
    await use(personId, editor, {
      days: 10,
      ...(timed ? { first: timed[0]!, last: timed[1]! } : {}),
    });
  }
  // Two use both: Editor on five days, Planner on one.
  const both = [await member(), await member()];
  await use(both[0]!, editor, { days: 5, first: '12:00:00', last: '12:01:00' });
  await use(both[1]!, editor, { days: 5 });
  for (const personId of both) await use(personId, planner, { days: 1 });
  await useUncounted();
  // 21 accounts on one address, 20 on another, 31 on a third long ago.
  await signInFrom('192.0.2.1', [...alone.slice(0, 5), ...(await people(16))]);
  await signInFrom('192.0.2.2', [alone[5]!, ...(await people(19))]);
  await signInFrom('192.0.2.3', [alone[6]!, ...(await people(30))], '91 days');

  const periodId = await addComputed('EUR');
  const answers = await Promise.all([reviewPool({ periodId }), reviewPool({ periodId })]);
  t.deepEqual(answers.at(-1), { listed: 1 });
  // 110 days of 12 Members: 100 alone, 14 of young accounts, 50 shared, 10 + 10 + 5 regular.
  t.deepEqual(await figuresOf(periodId, editor), {
    bps: [
      ['single_product', 9_090, true],
      ['young_accounts', 1_272, false],
      ['shared_addresses', 4_545, true],
      ['regular_times', 2_272, false],
    ],
    isListed: true,
  });
  t.like(await figuresOf(periodId, planner), { isListed: false });
  t.deepEqual(
    (await figuresOf(periodId, planner))?.bps?.map(([, bps]) => bps),
    [0, 0, 0, 0],
  );
  t.like(await figuresOf(periodId, unused), { isListed: false });
  const [period] = await query('select status from pool_period where id = $1', [periodId]);
  t.deepEqual(period, { status: 'in_review' });
});

test.serial('a repeated review changes nothing, whatever happened since', async (t) => {
  const periodId = `${month}:EUR`;
  const before = await query('select * from pool_review order by product_id');
  await use(await member(), editor, { days: 20 });
  t.deepEqual(await reviewPool({ periodId }), { listed: 1 });
  t.deepEqual(await query('select * from pool_review order by product_id'), before);
});

test.serial('a month that is not computed is not reviewed', async (t) => {
  const periodId = `${month}:GBP`;
  await addPeriod(api.test, { id: periodId, status: 'frozen' });
  t.deepEqual(await reviewPool({ periodId }), { listed: 0 });
  const [period] = await query('select status from pool_period where id = $1', [periodId]);
  t.deepEqual(period, { status: 'frozen' });
  await t.throwsAsync(reviewPool({ periodId: '2026-01:XYZ' }));
});

test.serial('Members of many batches are all counted', async (t) => {
  const periodId = await addComputed('BRL');
  await query(
    `with people as (
       insert into person (id, handle, display_name, email, created_at)
       select gen_random_uuid(), 'many_' || n, 'Many', 'many_' || n || '@example.com', '2020-01-01'
       from generate_series(1, 1201) n returning id),
     taken as (
       insert into membership (id, person_id, status, price_id, amount_minor, currency,
         billing_interval)
       select gen_random_uuid(), id, 'active', $1, 999, 'BRL', 'month' from people
       returning id, person_id),
     paid as (
       insert into payment (id, membership_id, gross_minor, currency, cut_minor, status,
         processor_id, created_at)
       select 'ch_' || id, id, 999, 'BRL', 0, 'succeeded', 'in_' || id, $2::timestamptz
       from taken)
     insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     select person_id, $3, $4, $2, $2, 0, 1, 0, 0, 0, 1 from taken`,
    [price!.id, start, planner.id, `${month}-01`],
  );
  t.deepEqual(await reviewPool({ periodId }), { listed: 1 });
  t.deepEqual((await figuresOf(periodId, planner))?.bps?.[0], ['single_product', 10_000, true]);
});
