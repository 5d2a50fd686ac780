// The figures of products by day: summed for all products at once, read for one.
import type pg from 'pg';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { toDay } from '../shared/instant.ts';
import { RUNNING } from '../entitlements/memberships/membership.repository.ts';
import { TEST_EVENT } from '../webhooks/test-event.ts';
import { ALL_PRODUCTS, FIGURE_KINDS, NO_CURRENCY, type FigureKind } from './figure-kind.ts';
import {
  addDays,
  composeOverview,
  firstDayOf,
  type Figure,
  type Overview,
  type OverviewDays,
} from './overview.ts';

// Each selection below has the kind, currency, count and sum of a product `p` on a day `d`, which
// ends now where it is today. Every one is a walk along an index.

/** What buyers paid, and what went back to them; the platform's losses and fees are neither. */
const MONEY = `
  select case e.kind when 'gross' then 'sales' else 'refunds' end as kind, e.currency,
    count(*) filter (where e.kind = 'gross' or e.amount_minor < 0) as n,
    sum(case e.kind when 'gross' then e.amount_minor else -e.amount_minor end) as sum_minor
  from ledger_entry e
  where e.product_id = p.id and e.account = 'seller'
    and e.created_at >= d.starts_at and e.created_at < d.ends_at
    and e.kind in ('gross', 'refund', 'reversal', 'chargeback')
  group by 1, 2`;

const CHECKS = `
  select v.kind, '${NO_CURRENCY}', v.n, 0
  from check_day c cross join lateral (
    values ('checks_open', c.open_checks), ('checks_locked', c.checks - c.open_checks)) v (kind, n)
  where c.product_id = p.id and c.day = d.day and v.n > 0`;

// First attempts are counted as they are recorded. Of those that failed, the delivery's state says
// which ones wait for a retry or are dead; the others without a state were accepted by a retry.
const DELIVERIES = `
  select v.kind, '${NO_CURRENCY}', v.n, 0
  from integration_count i
  cross join lateral (
    select count(*) as n, count(*) filter (where s.status in ('retrying', 'dead')) as failing
    from delivery_state s
    where s.product_id = p.id and s.status in ('retrying', 'dead', 'held', 'cancelled')
      and s.created_at >= d.starts_at and s.created_at < d.ends_at
      and (s.status in ('retrying', 'dead') or s.step > 0)
      and exists (select from delivery y
        where y.id = s.delivery_id and not y.is_example and y.event_name <> '${TEST_EVENT}')) open
  cross join lateral (values ('deliveries_accepted', i.first_successes),
    ('deliveries_retried', i.first_attempts - i.first_successes - open.n),
    ('deliveries_failing', open.failing)) v (kind, n)
  where i.product_id = p.id and i.day = d.day and v.n > 0`;

/** People whose access is announced now. */
const CUSTOMERS_NOW = `
  select 'customers', '${NO_CURRENCY}', count(*), 0 from entitlement t
  where t.product_id = p.id and t.announced_active
    and (t.announced_ends_at is null or t.announced_ends_at > d.ends_at)`;

// The announced access at the end of each day, from its sources: an entitlement tells of now alone.
// A membership is a source where the product was activated.
const CUSTOMERS_OF_DAYS = `
  select product_id, day, 'customers' as kind, '${NO_CURRENCY}' as currency, count(*) as n,
    0 as sum_minor
  from (
    select g.product_id, g.person_id, d.day from d join access_grant g on g.starts_at <= d.ends_at
      and (g.ends_at is null or g.ends_at > d.ends_at)
      and (g.withdrawn_at is null or g.withdrawn_at > d.ends_at)
    union
    select a.product_id, m.person_id, d.day from d
    join membership_activation a on a.opened_at <= d.ends_at
      and (a.closed_at is null or a.closed_at > d.ends_at)
    join membership m on m.id = a.membership_id
      and (m.withdrawn_at is null or m.withdrawn_at > d.ends_at)
      and (m.ends_at > d.ends_at or (m.ends_at is null
        and m.status in (${RUNNING.map((status) => `'${status}'`).join(', ')})))
  ) customer group by product_id, day`;

const ofProducts = (selection: string) => `
  select p.id as product_id, d.day, s.* from product p cross join d
  cross join lateral (${selection}) s (kind, currency, n, sum_minor)`;

/** What each statement rewrites, and of which rows. */
const SUMS: readonly { kinds: readonly FigureKind[]; made: string }[] = [
  { kinds: ['sales', 'refunds'], made: ofProducts(MONEY) },
  { kinds: ['customers'], made: CUSTOMERS_OF_DAYS },
  { kinds: ['checks_open', 'checks_locked'], made: ofProducts(CHECKS) },
  {
    kinds: ['deliveries_accepted', 'deliveries_retried', 'deliveries_failing'],
    made: ofProducts(DELIVERIES),
  },
];

// What is no longer there becomes zero. One order of rows: two runs never wait in a ring. A row that
// would not change is not written.
const rewrite = (made: string) => `
  with d as materialized (
    select day::date, day at time zone 'UTC' as starts_at,
      least((day + interval '1 day') at time zone 'UTC', gatehouse_now()) as ends_at
    from generate_series($1::timestamp, $2::timestamp, interval '1 day') day),
  made as (${made}),
  kept as (
    select product_id, day, kind, currency from product_figure
    where day >= $1::timestamp and day <= $2::timestamp and kind = any($3::text[])
      and product_id <> '${ALL_PRODUCTS}')
  insert into product_figure as f (product_id, day, kind, currency, count, sum_minor)
  select product_id, day, kind, currency, coalesce(n, 0), coalesce(sum_minor, 0)
  from made full join kept using (product_id, day, kind, currency)
  order by product_id, day, kind, currency
  on conflict (product_id, day, kind, currency)
  do update set count = excluded.count, sum_minor = excluded.sum_minor
  where (f.count, f.sum_minor) <> (excluded.count, excluded.sum_minor)`;

/** The sums of all products, of which an overview of thousands of them is read at once. */
const TOTALS = `
  insert into product_figure as f (product_id, day, kind, currency, count, sum_minor)
  select '${ALL_PRODUCTS}'::uuid, day, kind, currency, sum(count), sum(sum_minor)
  from product_figure
  where day >= $1::timestamp and day <= $2::timestamp and product_id <> '${ALL_PRODUCTS}'
  group by day, kind, currency order by day, kind, currency
  on conflict (product_id, day, kind, currency)
  do update set count = excluded.count, sum_minor = excluded.sum_minor
  where (f.count, f.sum_minor) <> (excluded.count, excluded.sum_minor)`;

// Today and the three days before: later a retry or a late booking changes nothing. After an outage
// from the last day that was summed, and at first all that an overview shows.
const DAYS = `
  select least(today - 3, coalesce((select max(day) from product_figure), today - 181))::text
    as first, today::text as last
  from (select (gatehouse_now() at time zone 'UTC')::date as today) clock`;

// Millions of rows take longer than a statement of a request may; an activity waits. The pool's
// connections plan for single rows.
const TIMEOUT_MS = 240_000;
const FOR_MANY_ROWS = `
  begin; set local enable_seqscan = on; set local enable_bitmapscan = on;
  set local plan_cache_mode = force_custom_plan`;

/** Rewrites the figures of the last days of all products; a second run changes nothing. */
export async function sumProductFigures(pool: pg.Pool): Promise<void> {
  const found = await pool.query<{ first: string; last: string }>(DAYS);
  const { first, last } = found.rows[0]!;
  const client = await pool.connect();
  let isOver = false;
  try {
    const sums = SUMS.map(({ kinds, made }) => ({
      text: rewrite(made),
      values: [first, last, kinds],
    }));
    for (const statement of [...sums, { text: TOTALS, values: [first, last] }]) {
      await client.query(FOR_MANY_ROWS);
      const timed = { ...statement, query_timeout: TIMEOUT_MS };
      await client.query(timed);
      await client.query('commit');
    }
    isOver = true;
  } finally {
    client.release(!isOver);
  }
}

const BATCH = 5_000;

const REMOVE = `
  with removed as (
    delete from product_figure where (product_id, day, kind, currency) in (
      select product_id, day, kind, currency from product_figure
      where day < (gatehouse_now() at time zone 'UTC')::date - 400 order by day limit ${BATCH})
    returning day)
  select count(*)::int as removed from removed`;

/** One batch of figures that no overview shows; true when more may wait. */
export async function removeOldFigures(em: EntityManager): Promise<boolean> {
  const [row] = await rows<{ removed: number }>(em, REMOVE);
  return row!.removed === BATCH;
}

// The days that are over, a row a kind with lists as text: hundreds of rows, or JSON of them, would
// take several times as long.
const STORED = `
  select kind, array_agg(day - ?::date)::text as places, array_agg(count)::text as counts,
    array_agg(sum_minor)::text as sums
  from product_figure
  where product_id = ? and day >= ? and day < ? and currency in (?, '${NO_CURRENCY}')
  group by kind`;

const TODAY = `
  with p as (select ?::uuid as id),
  d as materialized (
    select day, day::timestamp at time zone 'UTC' as starts_at, gatehouse_now() as ends_at
    from cast(? as date) day)
  select s.kind, s.currency, s.n::bigint as count, s.sum_minor::bigint as "sumMinor"
  from p cross join d cross join lateral (
    ${[MONEY, CHECKS, DELIVERIES, CUSTOMERS_NOW].map((each) => `(${each})`).join(' union all ')}
  ) s (kind, currency, n, sum_minor)
  union all
  select distinct 'currency', f.currency, 0, 0 from product_figure f, p
  where f.product_id = p.id and f.day >= ? and f.kind in ('sales', 'refunds')
    and f.count > 0`;

export type ProductFigures = Overview & {
  /** The currencies in which there is any money of these days, by code. */
  currencies: string[];
};

type Query = { productId: string; days: OverviewDays; currency: string; now: Date };

/** The overview of a product in one currency: the days that are over as stored, today as it is. */
export async function loadProductFigures(
  em: EntityManager,
  { productId, days, currency, now }: Query,
): Promise<ProductFigures> {
  const today = toDay(now);
  const first = firstDayOf({ today, days });
  const stored = await rows<StoredKind>(em, STORED, [first, productId, first, today, currency]);
  const live = await rows<LiveFigure>(em, TODAY, [productId, today, first]);
  const ofToday = live.filter(isFigure).filter((figure) => isIn(currency, figure));
  const figures = [
    ...stored.flatMap((kind) => toFigures(kind, first)),
    ...ofToday.map((each) => ({ ...each, day: today })),
  ];
  const currencies = live.map((each) => each.currency).filter((code) => code !== NO_CURRENCY);
  return {
    ...composeOverview(figures, { today, days }),
    currencies: [...new Set(currencies)].toSorted(),
  };
}

/** Lists of the same length: a day as its place after the first one, and its count and sum. */
export type StoredKind = { kind: FigureKind; places: string; counts: string; sums: string };

export function toFigures({ kind, ...lists }: StoredKind, first: string): Figure[] {
  const [counts, sums] = [readList(lists.counts), readList(lists.sums)];
  return readList(lists.places).map((place, index) => ({
    day: addDays(first, place),
    kind,
    count: counts[index]!,
    sumMinor: sums[index]!,
  }));
}

/** `{1,2}`, as PostgreSQL writes a list of numbers. */
function readList(text: string): number[] {
  return text.slice(1, -1).split(',').map(Number);
}

type LiveFigure = { kind: string; currency: string; count: number; sumMinor: number };

function isFigure(each: LiveFigure): each is LiveFigure & { kind: FigureKind } {
  return FIGURE_KINDS.some((kind) => kind === each.kind);
}

function isIn(currency: string, figure: LiveFigure): boolean {
  return figure.currency === currency || figure.currency === NO_CURRENCY;
}
