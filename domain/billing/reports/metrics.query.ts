import { addMonths, monthOf } from '../../shared/instant.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { composeFigures, type Cohort } from './metrics.ts';
import { composeAhead, horizonOf, type NextCharge } from './renewals-ahead.ts';

export type Selection = { sql: string; values: (string | Date | number | null)[] };

/** SQL: a product's subscriptions by month of beginning and of end, from one index. */
export function selectCohorts({ productId, from }: { productId: string; from: Date }): Selection {
  const sql = `select s.currency, s.billing_interval as "billingInterval",
      case when s.began_at >= ? then to_char(s.began_at at time zone 'UTC', 'YYYY-MM') end
        as "beganIn",
      to_char(s.ended_at at time zone 'UTC', 'YYYY-MM') as "endedIn",
      count(*)::int as count, sum(s.amount_minor)::bigint as "sumMinor"
    from subscription s
    where s.product_id = ? and s.began_at is not null
      and (s.ended_at is null or s.ended_at >= ? and s.ended_at >= s.began_at)
    group by 1, 2, 3, 4`;
  return { sql, values: [from, productId, from] };
}

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/**
 * The metrics of `months` months that end with the current one; none when no subscription was
 * active in them.
 */
export async function readFigures(
  em: EntityManager,
  { productId, months }: { productId: string; months: number },
) {
  const at = await now(em);
  const names = Array.from({ length: months }, (_, index) =>
    monthOf(addMonths(at, index + 1 - months)),
  );
  const { sql, values } = selectCohorts({ productId, from: addMonths(at, 1 - months) });
  const cohorts = await rows<Cohort>(em, sql, values);
  // The last month is counted up to this instant.
  return { figures: composeFigures(cohorts, names), at };
}

/** SQL: running subscriptions by the day of their next charge. */
export function selectNext({ productId, until }: { productId: string; until: Date }): Selection {
  const sql = `select s.currency, s.billing_interval as "billingInterval",
      date_trunc('day', s.period_end, 'UTC') as day,
      count(*)::int as count, sum(s.amount_minor)::bigint as "sumMinor"
    from subscription s
    where s.product_id = ? and s.status = 'active' and s.period_end < ?
      and s.requested_change is distinct from 'cancel'
    group by 1, 2, 3`;
  return { sql, values: [productId, until] };
}

/** SQL: failed charges that are tried again. */
export function selectFailing(productId: string): Selection {
  const sql = `select s.currency, count(*)::int as count, sum(s.amount_minor)::bigint as "sumMinor"
    from subscription s where s.product_id = ? and s.status = 'past_due'
    group by 1 order by 1`;
  return { sql, values: [productId] };
}

type FailingCharges = { currency: string; count: number; sumMinor: number };

export type RenewalsAhead = Awaited<ReturnType<typeof readRenewalsAhead>>;

/** The coming payments of a product's subscriptions. */
export async function readRenewalsAhead(
  em: EntityManager,
  { productId, at }: { productId: string; at: Date },
) {
  const next = selectNext({ productId, until: horizonOf(at) });
  const charges = await rows<NextCharge>(em, next.sql, next.values);
  const failing = selectFailing(productId);
  return {
    ahead: composeAhead(charges, at),
    failing: await rows<FailingCharges>(em, failing.sql, failing.values),
  };
}
