// A report by a person's token is authenticated, counted and recorded by one statement: it is committed
// before the product is told that it counted, and costs one wait.
import type pg from 'pg';
import { toCount } from '../entitlements/authentication.repository.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/token.repository.ts';
import {
  COUNT_MANY,
  countLater,
  rankRows,
  resetOf,
  SECOND_ONCE,
  type Count,
} from '../limits/rate-window.query.ts';
import {
  toArrayParameter,
  toByteaArrayParameter,
} from '../../platform/database/array-parameter.ts';
import { shareStatement } from '../../platform/database/batcher.ts';
import { decideByToken, USAGE_KINDS, type UsageKind } from './decide-usage.ts';
import { ADD_DAYS, OR_RISE } from './usage-day.repository.ts';

/** The person of a token, as far as a report needs it. */
export type Reporter = Pick<Bearer, 'personId' | 'productId' | 'isOwnTeam' | 'at'>;

export type AuthenticatedReport = {
  holder: Reporter;
  count: Count;
  /** The report is in the table. */
  isRecorded: boolean;
};

/** `kind`: null when nothing is recorded: it cannot be read, has not arrived, or may wait. */
type Given = { hash: Buffer; bucket: string; limit: number; kind: UsageKind | null };

type Row = Count &
  Pick<Bearer, 'productId' | 'isOwnTeam'> & {
    place: string;
    person_id: string;
    is_gone: boolean;
    at_ms: number;
  };

// `most`: the limit and the number of later reports in its bucket, since `n` counts those too. Several
// reports may belong to one row of the table.
const AUTHENTICATE_REPORTS = `
  with asked as materialized (${bearersOf(
    `(select *, false as about, ${SECOND_ONCE} as second from unnest($1::bytea[], $2::text[], $3::text[], $4::int[])
      with ordinality each (hash, bucket, kind, most, place)) given`,
    ', kind, most',
  )}),
  counted as (${COUNT_MANY}),
  recorded as (${ADD_DAYS}
    select "productId", person_id, today.day, (array_agg(kind order by place))[1],
      bool_or(kind = any(case when "isOwnTeam" then $6::text[] else $5::text[] end)),
      count(*) filter (where kind = 'session'), count(*) filter (where kind = 'heartbeat'),
      count(*) filter (where kind = 'activity'), 0, today.at, today.at
    from asked join counted using (bucket),
      (select gatehouse_now() as at, (gatehouse_now() at time zone 'UTC')::date as day) today
    where kind is not null and "productId" is not null and n <= most
    group by "productId", today.day, person_id, today.at
    order by "productId", today.day, person_id ${OR_RISE}
  )
  select place, person_id, "productId", "isOwnTeam", at_ms, is_gone, n, ${resetOf('second')} as "resetS"
  from asked left join counted using (bucket)`;

const qualifyingKinds = (isOwnTeam: boolean) =>
  toArrayParameter(USAGE_KINDS.filter((kind) => decideByToken(kind, isOwnTeam).qualifying));
const QUALIFYING_OF_OTHERS = qualifyingKinds(false);
const QUALIFYING_OF_TEAM = qualifyingKinds(true);

async function authenticateReports(
  pool: pg.Pool,
  given: readonly Given[],
): Promise<(Row | null)[]> {
  const buckets = given.map(({ bucket }) => bucket);
  const later = countLater(buckets);
  const { rows } = await pool.query<Row>({
    name: 'authenticate_reports',
    text: AUTHENTICATE_REPORTS,
    values: [
      toByteaArrayParameter(given.map(({ hash }) => hash)),
      toArrayParameter(buckets),
      toArrayParameter(given.map(({ kind }) => kind)),
      toArrayParameter(given.map(({ limit }, index) => limit + later[index]!)),
      QUALIFYING_OF_OTHERS,
      QUALIFYING_OF_TEAM,
    ],
  });
  return rankRows(rows, later);
}

const findReporters = shareStatement<Given, Row | null>({
  one: async (pool, given) => (await authenticateReports(pool, [given]))[0]!,
  many: authenticateReports,
});

/** Null and gone tokens are not counted, as by authenticateToken. */
export async function authenticateReport(
  pool: pg.Pool,
  given: Given,
): Promise<AuthenticatedReport | 'gone' | null> {
  const row = await findReporters(pool, given);
  if (!row) return null;
  if (row.is_gone) return 'gone';
  const { person_id: personId, productId, isOwnTeam, at_ms: atMs } = row;
  const isRecorded = given.kind !== null && productId !== null && row.n <= given.limit;
  const holder = { personId, productId, isOwnTeam, at: new Date(atMs) };
  return { holder, count: toCount(row), isRecorded };
}
