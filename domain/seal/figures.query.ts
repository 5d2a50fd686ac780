// What the reviews of the quality seal read, for many products in one statement each.
import type pg from 'pg';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import type { SealFigures } from './criteria.ts';

/** Products, and days of UTC as `YYYY-MM-DD`: the last one is not one of them. */
type Reviewed = { productIds: readonly string[]; from: string; until: string };

type Evidence = Pick<
  SealFigures,
  'people' | 'returningPeople' | 'days' | 'daysOfLargest' | 'daysOfFive'
>;

// Products with millions of days take longer than a statement of a request may; an activity waits.
const TIMEOUT_MS = 240_000;

const ASKED = `
  asked as materialized (
    select id, owner_person_id, owner_team_id, listed_at from product where id = any($1::uuid[]))`;

/** SQL, of a product `a`: true for one of its own people. */
const isOwnTeam = (personId: string) => `
  (${personId} is not distinct from a.owner_person_id or exists (
    select from team_member m where m.team_id = a.owner_team_id and m.person_id = ${personId}))`;

// A row a person: the qualified days, and whether they lie in more than one ISO week.
const PERSON_DAYS = `
  select u.product_id, u.person_id, count(*)::int as days,
    min(day) - extract(isodow from min(day))::int
      <> max(day) - extract(isodow from max(day))::int as came_back
  from asked join usage_month u on u.product_id = asked.id
    and u.month >= date_trunc('month', $2::timestamp) and u.month < $3::date
  cross join lateral (
    select u.month + place as day from generate_series(0, 30) place
    where u.qualifying_days >> place & 1 = 1 offset 0) of_month
  where day >= $2::date and day < $3::date
  group by u.product_id, u.person_id`;

// Test keys leave no evidence. Whoever was given access in these days is no customer. The evidence of
// a deleted account has a random id in place of the person's, which no grant and no team names:
// these days count as those of a customer.
const EVIDENCE = `
  with ${ASKED},
  person_days as (${PERSON_DAYS}),
  ranked as (
    select d.*, row_number() over (partition by d.product_id order by d.days desc) as rank
    from person_days d join asked a on a.id = d.product_id
    where not ${isOwnTeam('d.person_id')} and not exists (
      select from access_grant g
      where g.product_id = d.product_id and g.person_id = d.person_id and g.type = 'complimentary'
        and g.starts_at < $3::timestamp at time zone 'UTC'
        and coalesce(least(g.ends_at, g.withdrawn_at), 'infinity') > $2::timestamp at time zone 'UTC'))
  select product_id as "productId", count(*)::int as people,
    (count(*) filter (where came_back))::int as "returningPeople", sum(days)::int as days,
    max(days) as "daysOfLargest", (sum(days) filter (where rank <= 5))::int as "daysOfFive"
  from ranked group by product_id`;

const NO_EVIDENCE: Evidence = {
  people: 0,
  returningPeople: 0,
  days: 0,
  daysOfLargest: 0,
  daysOfFive: 0,
};

/** The evidence of products: the only reader of the days of use. */
async function readEvidence(pool: pg.Pool, reviewed: Reviewed): Promise<Map<string, Evidence>> {
  const rows = await ask<Evidence>(pool, { name: 'seal_evidence', text: EVIDENCE, reviewed });
  return new Map(rows.map(({ productId, ...evidence }) => [productId, evidence]));
}

// Each purchase of the product is read by index, however old: its subscription may charge in these
// days, and its charge may be disputed in them. A refund belongs to its charge, a lost chargeback to the day on which it was lost: that comes
// months after the charge.
const OTHERS = `
  with ${ASKED},
  span as (select $2::timestamp at time zone 'UTC' as since, $3::timestamp at time zone 'UTC' as until)
  select a.id as "productId", sales.*, counted.*,
    coalesce(greatest(0, floor(extract(epoch from until - a.listed_at) / 86400)), 0)::int as "listedDays"
  from asked a cross join span
  cross join lateral (
    select (count(*) filter (where is_charge))::int as charges,
      (count(*) filter (where is_charge and y.returned_minor > 0 and exists (
        select from refund r where r.payment_id = y.id and r.status = 'succeeded')))::int
        as "refundedCharges",
      coalesce(sum(case when y.returned_minor > 0 then (
        select count(*) from dispute d where d.payment_id = y.id and d.status = 'lost'
          and d.settled_at >= since and d.settled_at < until) end), 0)::int as "lostChargebacks"
    from purchase u join payment y on y.purchase_id = u.id
      and y.status in ('succeeded', 'partially_refunded', 'refunded')
    cross join lateral (select y.created_at >= since and y.created_at < until as is_charge) of_span
    where u.product_id = a.id and not ${isOwnTeam('u.person_id')}) sales
  cross join lateral (
    select coalesce(sum(first_attempts), 0)::int as "firstAttempts",
      coalesce(sum(first_successes), 0)::int as "firstSuccesses",
      coalesce(sum(callbacks), 0)::int as callbacks, coalesce(sum(tokens), 0)::int as tokens
    from integration_count c where c.product_id = a.id and c.day >= $2::date and c.day < $3::date
  ) counted`;

/** All that the criteria need, by product. */
export async function readSealFigures(
  pool: pg.Pool,
  reviewed: Reviewed,
): Promise<Map<string, SealFigures>> {
  const evidence = await readEvidence(pool, reviewed);
  const rows = await ask<Omit<SealFigures, keyof Evidence>>(pool, {
    name: 'seal_sales_and_integration',
    text: OTHERS,
    reviewed,
  });
  return new Map(
    rows.map(({ productId, ...others }) => [
      productId,
      { ...others, ...(evidence.get(productId) ?? NO_EVIDENCE) },
    ]),
  );
}

type Question = { name: string; text: string; reviewed: Reviewed };

async function ask<Row>(pool: pg.Pool, { name, text, reviewed }: Question) {
  const { productIds, from, until } = reviewed;
  const values = [toArrayParameter(productIds), from, until];
  const statement = { name, text, values, query_timeout: TIMEOUT_MS };
  const { rows } = await pool.query<Row & { productId: string }>(statement);
  return rows;
}
