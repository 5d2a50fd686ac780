// A report by a person's token is admitted, counted and recorded by one statement: it is committed
// before the product is told that it counted, and costs one wait.
import type pg from 'pg';
import {
  BEARER_COLUMNS,
  toBearer,
  toCount,
  type Admission,
  type BearerRow,
} from '../entitlements/admission.store.ts';
import { bearersOf, type Bearer } from '../identity/oauth/token.store.ts';
import { COUNT_MANY, placeInTurn, type Count } from '../limits/limits.store.ts';
import { toArrayParameter, toByteaArrayParameter } from '../platform/array-parameter.ts';
import { shareStatement } from '../platform/batch.ts';
import { decideByToken, type UsageKind } from './decide-usage.ts';
import { ADD_DAYS, OR_RISE } from './usage-day.store.ts';

/** `kind`: null where nothing is to be recorded: it cannot be read, has not come yet, or may wait. */
type Given = { hash: Buffer; bucket: string; limit: number; kind: UsageKind | null };

type Row = BearerRow & Count & { place: string };

export type AdmittedReport = Omit<Admission<Bearer>, 'access'> & { isRecorded: boolean };

// Those who share a window have their turns in it; of one row in the table there may be several reports.
const ADMIT_REPORTS = `
  with asked as materialized (${bearersOf(
    `(select *, false as about from unnest($1::bytea[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::int[])
      with ordinality each (hash, bucket, kind, of_others, of_team, most, place)) given`,
    ', kind, of_others, of_team, most',
  )}),
  counted as (${COUNT_MANY}),
  reported as (
    select "productId" as product_id, person_id, kind, place, most,
      case when "isOwnTeam" then of_team else of_others end as is_qualifying,
      n + 1 - row_number() over (partition by bucket order by place desc) as turn
    from asked join counted using (bucket) where "productId" is not null
  ),
  recorded as (${ADD_DAYS}
    select product_id, person_id, today.day, (array_agg(kind order by place))[1], bool_or(is_qualifying),
      count(*) filter (where kind = 'session'), count(*) filter (where kind = 'heartbeat'),
      count(*) filter (where kind = 'activity'), 0, today.at, today.at
    from reported, (select gatehouse_now() as at, (gatehouse_now() at time zone 'UTC')::date as day) today
    where kind is not null and turn <= most
    group by product_id, today.day, person_id, today.at
    order by product_id, today.day, person_id ${OR_RISE}
  )
  select place, ${BEARER_COLUMNS}, n, "resetS" from asked left join counted using (bucket)`;

const qualifies = (kind: UsageKind | null, isOwnTeam: boolean) =>
  kind !== null && decideByToken(kind, isOwnTeam).qualifying;

async function admitReports(pool: pg.Pool, given: readonly Given[]): Promise<(Row | null)[]> {
  const buckets = given.map(({ bucket }) => bucket);
  const { rows } = await pool.query<Row>({
    name: 'admit_reports',
    text: ADMIT_REPORTS,
    values: [
      toByteaArrayParameter(given.map(({ hash }) => hash)),
      toArrayParameter(buckets),
      toArrayParameter(given.map(({ kind }) => kind)),
      toArrayParameter(given.map(({ kind }) => qualifies(kind, false))),
      toArrayParameter(given.map(({ kind }) => qualifies(kind, true))),
      toArrayParameter(given.map(({ limit }) => limit)),
    ],
  });
  return placeInTurn(rows, buckets);
}

const findReporters = shareStatement<Given, Row | null>({
  one: async (pool, given) => (await admitReports(pool, [given]))[0]!,
  many: admitReports,
});

/** As admitToken answers, and whether the report is in the table by now. */
export async function admitReport(
  pool: pg.Pool,
  given: Given,
): Promise<AdmittedReport | 'gone' | null> {
  const row = await findReporters(pool, given);
  if (!row) return null;
  if (row.is_gone) return 'gone';
  const { limit, kind } = given;
  const isRecorded = kind !== null && row.productId !== null && row.n <= limit;
  return { holder: toBearer(row), count: toCount(row), isRecorded };
}
