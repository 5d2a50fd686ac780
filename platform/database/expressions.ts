// The few expressions of PostgreSQL that the query builder has no words for.
import { raw } from '@mikro-orm/postgresql';
import { sql, type Expression, type RawBuilder } from 'kysely';

/** The database's clock, which a test can move. */
export const NOW: RawBuilder<Date> = sql<Date>`gatehouse_now()`;

/** The clock of the database for properties and conditions of entities. */
export const CLOCK = raw<Date>('gatehouse_now()');

/** An id of this moment by that clock: rows of a table that is kept by month need it. */
export const NEW_ID: RawBuilder<string> = sql<string>`time_ordered_id()`;

/** `span` is an interval of PostgreSQL: `7 days`. */
export const ago = (span: string): RawBuilder<Date> => sql`gatehouse_now() - ${span}::interval`;

export const fromNow = (span: string): RawBuilder<Date> => sql`gatehouse_now() + ${span}::interval`;

export const after = (column: string, span: string): RawBuilder<Date> =>
  sql`${sql.ref(column)} + ${span}::interval`;

/** The hour or day of an instant, in UTC: `date_trunc` would take three times as long. */
export const startOf = (step: 'hour' | 'day', column: string): RawBuilder<Date> =>
  sql`date_bin(${sql.lit(`1 ${step}`)}::interval, ${sql.ref(column)}, 'epoch')`;

/** Compares by `=` with one of the values, of which there may be none. */
export const anyOf = <Value>(values: readonly Value[]): RawBuilder<Value> => sql`any(${values})`;

/** A column in lower case, as the index that ignores case has it. */
export const lower = (column: string): RawBuilder<string> => sql`lower(${sql.ref(column)})`;

/** A value in lower case, to compare with `lower`. */
export const lowerOf = (text: string): RawBuilder<string> => sql`lower(${text})`;

/** A sum as a number, zero of no rows: PostgreSQL adds bigints up as numeric. */
export const total = (sum: Expression<unknown>): RawBuilder<number> =>
  sql`coalesce(${sum}, 0)::bigint`;

/** A list as JSON: the driver would write it as an array of PostgreSQL. */
export const asJson = <Value>(value: Value): RawBuilder<Value> =>
  sql<Value>`${JSON.stringify(value)}::jsonb`;
