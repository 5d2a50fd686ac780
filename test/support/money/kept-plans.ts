import pg from 'pg';
import type { Database } from '../../../platform/database/database.ts';

type Asking = { query(...given: never[]): unknown };

/** No plan depends on values, and none on how few rows a table had when it was made. */
export const PLANS_FOR_EVERY_VALUE = `
  do $$ begin
    execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database());
    execute format('alter database %I set enable_seqscan = off', current_database());
  end $$`;

const names = new Map<string, string>();
const kept = new WeakSet<Asking>();

/**
 * Each connection prepares a statement once: PostgreSQL planned the few hundred statements of a
 * story for longer than it ran them.
 */
export async function keepPlans(database: Database): Promise<void> {
  const pool = (await database.em().getConnection().getNativeClient()) as pg.Pool;
  // MikroORM has a driver of its own.
  pool.on('connect', keepPlansOf);
  keepPlansOf(pg.Client.prototype as Asking);
}

function keepPlansOf(client: Asking): void {
  if (kept.has(client)) return;
  kept.add(client);
  const query = client.query as (...given: unknown[]) => unknown;
  client.query = function (this: unknown, text: unknown, values: unknown, ...rest: unknown[]) {
    const isPlain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0;
    if (isPlain) return query.call(this, text, values, ...rest);
    return query.call(this, { name: nameOf(text), text, values }, ...rest);
  };
}

function nameOf(text: string): string {
  const name = names.get(text) ?? `kept_${names.size}`;
  names.set(text, name);
  return name;
}
