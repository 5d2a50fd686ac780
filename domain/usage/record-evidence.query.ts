import type pg from 'pg';
import {
  toAuthRequest,
  toBearer,
  toCount,
  TOKEN_COLUMNS,
  type Authentication,
  type AuthRequest,
  type TokenPrincipal,
} from '../authentication/authentication.query.ts';
import {
  COUNT_MANY,
  countLater,
  rankRows,
  resetOf,
  SECOND_ONCE,
  type Count,
} from '../limits/rate-window.query.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/token-principal.query.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { isWellFormedCredential } from '../shared/ids.ts';
import { decideByToken, type UsageKind } from './decide-usage.ts';
import { MARK, marksOf, type Evidence, type Mark } from './evidence-marks.ts';

const COLUMNS: Record<Mark, string> = {
  session: 'session_days',
  heartbeat: 'heartbeat_days',
  activity: 'activity_days',
  profile_read: 'profile_read_days',
  by_key: 'key_days',
  qualifying: 'qualifying_days',
};
/** The masks of a row, in the order of their marks. */
export const MASKS = Object.entries(COLUMNS).map(([mark, column]) => ({
  column,
  bit: MARK[mark as Mark],
}));
const each = (write: (mask: (typeof MASKS)[number]) => string, between = ', ') =>
  MASKS.map(write).join(between);

/**
 * SQL: adds the marks of `evidence` (product_id, person_id, at, marks), in the order of their rows,
 * so that two statements never wait for each other. A row that has them already is not written.
 */
const addMarksOf = (evidence: string) => `
  insert into usage_month as u (person_id, product_id, month, first_at, last_at,
    ${each(({ column }) => column)})
  select person_id, product_id, month, min(at), max(at),
    ${each(({ bit }) => `bit_or(case when marks & ${bit} <> 0 then day else 0 end)`)}
  from (${evidence}) evidence
  cross join lateral (select at at time zone 'UTC' as utc) clock
  cross join lateral (select date_trunc('month', utc)::date as month,
    1 << extract(day from utc)::int - 1 as day) calendar
  group by person_id, product_id, month
  order by person_id, product_id, month
  on conflict (person_id, product_id, month) do update set
    ${each(({ column }) => `${column} = u.${column} | excluded.${column}`)},
    first_at = least(u.first_at, excluded.first_at),
    last_at = greatest(u.last_at, excluded.last_at)
  where (${each(({ column }) => `(excluded.${column} & ~u.${column})`, ' | ')}) <> 0`;

const ADD_MARKS = addMarksOf(`
  select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[])
    as input (product_id, person_id, at, marks)`);

/** One upsert for each row. */
export async function addEvidence(pool: pg.Pool, evidence: readonly Evidence[]): Promise<void> {
  await pool.query({
    name: 'add_evidence',
    text: ADD_MARKS,
    values: [
      evidence.map(({ productId }) => productId),
      evidence.map(({ personId }) => personId),
      evidence.map(({ at }) => at.toISOString()),
      evidence.map(({ marks }) => marks),
    ].map(toArrayParameter),
  });
}

/** Evidence: committed when this settles. */
export const commitEvidence = batchStatement<Evidence, void>({
  async many(pool, evidence) {
    await addEvidence(pool, evidence);
    return evidence.map(() => undefined);
  },
});

/** A report with a person's token; one without a kind is authenticated and counted only. */
type Report = AuthRequest<boolean> & { limit: number; kind: UsageKind | null };

// Authentication, limit and evidence in one statement. `most`: a request is within its limit when so
// many are counted with the later ones of this statement. All windows are counted before the first
// row is written, so that two statements never wait for each other.
const REPORT = `
  with request as materialized (${bearersOf(
    `(select *, false as access_of, ${SECOND_ONCE} as second from
      unnest($1::bytea[], $2::text[], $3::int[], $4::int[])
      with ordinality each (hash, bucket, most, marks, place)) input`,
    ', most, marks',
  )}),
  counted as (${COUNT_MANY}),
  recorded as (${addMarksOf(`
    select "productId" as product_id, person_id, at,
      case when "isOwnTeam" then marks & ~${MARK.qualifying} else marks end as marks
    from request join counted using (bucket)
    cross join (select count(*) from counted) all_counted
    where marks is not null and "productId" is not null and n <= most`)})
  select place, n, ${resetOf('second')} as "resetS", ${TOKEN_COLUMNS}
  from request left join counted using (bucket)`;

const report = batchStatement<Report, (TokenPrincipal & Count & { place: string }) | null>({
  async many(pool, reports) {
    const buckets = reports.map(({ bucket }) => bucket);
    const later = countLater(buckets);
    const values = [
      reports.map(({ hash }) => hash),
      buckets,
      reports.map(({ limit }, index) => limit + later[index]!),
      reports.map(({ kind }) => kind && marksByToken(kind)),
    ].map(toArrayParameter);
    const statement = { name: 'report', text: REPORT, values };
    const { rows } = await pool.query<TokenPrincipal & Count & { place: string }>(statement);
    return rankRows(rows, later);
  },
});

function marksByToken(kind: UsageKind): number {
  const isQualifying = decideByToken(kind, false).qualifying;
  return marksOf({ kind, isByKey: false, isQualifying });
}

/** `limit` in requests a minute. */
type Reporter = { credential: string; window: string; limit: number; kind: UsageKind | null };

/**
 * Authenticates as `authenticateToken` does. A report with a kind, of a client with a product and
 * within the limit, is committed when this returns.
 */
export async function authenticateReport(
  pool: pg.Pool,
  { credential, window, limit, kind }: Reporter,
): Promise<Omit<Authentication<Bearer>, 'access'> | 'deleted' | null> {
  if (!isWellFormedCredential(credential, 'gat_')) return null;
  const request = toAuthRequest({ credential, window, accessOf: false });
  const row = await report(pool, { ...request, limit, kind });
  if (!row) return null;
  return row.isGone ? 'deleted' : { principal: toBearer(row), count: toCount(row) };
}
