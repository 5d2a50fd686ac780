import { setTimeout as pause } from 'node:timers/promises';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import type { TestDatabase } from '../support/engines/database.ts';

export type Verdict = {
  deliveries: number;
  interrupted: number;
  repeated: number;
  wrong: string[];
};

type Row = {
  id: string;
  status: string;
  isLeased: boolean;
  attempts:
    | { step: number; startedAt: string; durationMs: number; wasInterrupted: boolean }[]
    | null;
};

/** How many deliveries of a product have not ended well yet. */
export async function countOpen({ query }: TestDatabase, productId: string): Promise<number> {
  const [row] = await query<{ n: number }>(
    `select count(*)::int as n from delivery_state where product_id = $1`,
    [productId],
  );
  return row!.n;
}

const KEPT_TRIES = 20;

/** Transactions and locks of clients that do nothing with them, after all had time to end. */
export async function findKept({ query }: TestDatabase): Promise<string[]> {
  const ask = () =>
    query<{ what: string }>(
      `select format('%s (%s) keeps %s locks for %s', application_name, state,
         (select count(*) from pg_locks l where l.pid = a.pid), now() - xact_start) as what
       from pg_stat_activity a
       where datname = current_database() and pid <> pg_backend_pid()
         and (state like 'idle in transaction%' or xact_start < now() - interval '10 s'
           or state = 'idle' and exists (select from pg_locks l where l.pid = a.pid))`,
    );
  let kept = await ask();
  for (let tries = 0; kept.length > 0 && tries < KEPT_TRIES; tries += 1) {
    await pause(1_000);
    kept = await ask();
  }
  return kept.map(({ what }) => what);
}

/** Holds what was recorded against what arrived. */
export async function examineDeliveries(
  { query }: TestDatabase,
  { productId, hits }: { productId: string; hits: Map<string, number> },
): Promise<Verdict> {
  const rows = await query<Row>(
    `select d.id, d.status, exists (select from delivery_lease l where l.delivery_id = d.id) as "isLeased",
       (select json_agg(json_build_object('step', step, 'startedAt', started_at,
          'durationMs', duration_ms, 'wasInterrupted', was_interrupted) order by run, step)
        from attempt a where a.delivery_id = d.id) as attempts
     from delivery_now d where product_id = $1`,
    [productId],
  );
  const wrong = rows.flatMap((row) => findFaults(row, hits.get(row.id) ?? 0));
  const [outbox] = await query<{ n: number }>(
    'select count(*)::int as n from outbox where sent_at is null',
  );
  if (outbox!.n > 0) wrong.push(`${outbox!.n} messages were never sent`);
  const isInterrupted = ({ attempts }: Row) =>
    attempts?.some(({ wasInterrupted }) => wasInterrupted);
  return {
    deliveries: rows.length,
    interrupted: rows.filter(isInterrupted).length,
    repeated: rows.filter(({ id, attempts }) => hits.get(id)! > attempts!.length).length,
    wrong,
  };
}

function findFaults({ id, status, isLeased, attempts }: Row, hits: number): string[] {
  const made = attempts ?? [];
  const faults: string[] = [];
  if (status !== 'succeeded') faults.push(`${id} is ${status}`);
  if (isLeased) faults.push(`${id} is leased for ever`);
  if (hits < made.length || hits === 0)
    faults.push(`${id} came ${hits} times, ${made.length} recorded`);
  if (hits > made.length && !made.some(({ wasInterrupted }) => wasInterrupted)) {
    faults.push(`${id} came ${hits} times, ${made.length} recorded, none marked as interrupted`);
  }
  for (const [index, { step, startedAt }] of made.entries()) {
    if (step !== index) faults.push(`${id} lost step ${index}`);
    const before = made[index - 1];
    if (!before) continue;
    const waitedMs = Date.parse(startedAt) - Date.parse(before.startedAt) - before.durationMs;
    if (waitedMs < waitBeforeMs(step)!)
      faults.push(`${id} waited ${waitedMs} ms before step ${step}`);
  }
  return faults;
}
