// Holds a step of the pool in the middle of its transaction, so that it can be struck there.
import pg from 'pg';
import { eventually } from '../../support/eventually.ts';
import type { TestDatabase } from '../../support/engines/database.ts';

/** A row that a step writes. */
export type Place = { name: string; table: string; status?: string };

/** In the order in which a month passes them. */
export const PLACES: Place[] = [
  { name: 'freeze: its Members', table: 'pool_member' },
  { name: 'freeze: its corrections', table: 'pool_correction' },
  { name: 'freeze: its end', table: 'pool_period', status: 'frozen' },
  { name: 'compute', table: 'pool_line' },
  { name: 'review', table: 'pool_review' },
  { name: 'approval', table: 'pool_period', status: 'approved' },
  { name: 'start of the payouts', table: 'pool_payout' },
  { name: 'transfer', table: 'simulator.transfer' },
  { name: 'between transfer and record', table: 'pool_payout', status: 'paid' },
  { name: 'finish', table: 'pool_period', status: 'paid' },
];

const LOCK = 4_711;
const CAUGHT_MS = 90_000;

export type Trap = {
  /** Once a step stands still. */
  caught(): Promise<void>;
  /** The step goes on; where PostgreSQL was killed, nothing is left of it. */
  release(): Promise<void>;
};

/** Belongs before the worker's start. */
export async function setTrap(
  { ownUrl, query }: TestDatabase,
  { table, status }: Place,
): Promise<Trap> {
  await query(
    `create function hold_step() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`,
  );
  const event = status ? 'update' : 'insert';
  const when = status ? `when (new.status = '${status}' and old.status <> new.status)` : '';
  await query(
    `create trigger hold_step before ${event} on ${table} for each row ${when} execute function hold_step()`,
  );
  const holder = new pg.Client({ connectionString: ownUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  const countHeld = async () => {
    const [row] = await query<{ n: number }>(
      `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
         and objid = ${LOCK}
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return row!.n;
  };
  return {
    async caught() {
      await eventually(countHeld, (held) => held > 0, CAUGHT_MS);
    },
    release: () => holder.end().catch(() => undefined),
  };
}
