import { deliveryActor } from '../../outbox/actors.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { FOUND, foundValues, type RecoveryFilter } from './recovery.repository.ts';

export type RecoveryProgress = {
  status: 'running' | 'completed';
  productId: string;
  done: number;
  total: number;
  queued: number;
};

type Locked = RecoveryFilter &
  RecoveryProgress & { afterAt: Date | string | null; afterId: string | null };

const BATCH = 500;

/**
 * Queues the next batch of a recovery in one transaction with its progress: after a crash it
 * continues where the row says. The row is locked, so that of two at once the second continues
 * after the first.
 */
export async function recoverBatch(
  em: EntityManager,
  recoveryId: string,
): Promise<RecoveryProgress> {
  const recovery = await lockRecovery(em, recoveryId);
  if (recovery.status !== 'running') return progressOf(recovery);
  const limit = Math.min(BATCH, recovery.total - recovery.done);
  const found = await findNext(em, { recovery, limit });
  const isExhausted = found.length < limit;
  const isOver = isExhausted || recovery.done + found.length === recovery.total;
  const last = found.at(-1);
  const queued = await queueAgain(em, { recovery, ids: found.map(({ id }) => id) });
  const [row] = await rows<RecoveryProgress>(
    em,
    `update recovery r set done = r.done + ?, queued = r.queued + ?,
       after_at = coalesce(?, r.after_at), after_id = coalesce(?, r.after_id),
       status = case when ? then 'completed' else r.status end,
       finished_at = case when ? then gatehouse_now() end,
       total = case when ? then r.done + ? else r.total end
     where id = ? returning status, product_id as "productId", done, total, queued`,
    [
      found.length,
      queued,
      last?.at ?? null,
      last?.id ?? null,
      isOver,
      isOver,
      isExhausted,
      found.length,
      recoveryId,
    ],
  );
  return row!;
}

async function lockRecovery(em: EntityManager, recoveryId: string): Promise<Locked> {
  const [row] = await rows<Locked>(
    em,
    `select product_id as "productId", endpoint_id as "endpointId", event_name as "eventName",
       statuses, since, until, status, done, total, queued, after_at as "afterAt",
       after_id as "afterId"
     from recovery where id = ? for update`,
    [recoveryId],
  );
  if (!row) throw new Error(`there is no recovery ${recoveryId}`);
  return row;
}

function progressOf({ status, productId, done, total, queued }: Locked): RecoveryProgress {
  return { status, productId, done, total, queued };
}

/** The oldest first, after the last one that was looked at. */
async function findNext(
  em: EntityManager,
  { recovery, limit }: { recovery: Locked; limit: number },
): Promise<{ id: string; at: Date | string }[]> {
  return rows(
    em,
    `select d.delivery_id as id, d.created_at as at ${FOUND}
       and (?::timestamptz is null or (d.created_at, d.delivery_id) > (?::timestamptz, ?::text))
     order by d.created_at, d.delivery_id limit ${BATCH}) d order by d.created_at, d.delivery_id limit ?`,
    [...foundValues(recovery), recovery.afterAt, recovery.afterAt, recovery.afterId, limit],
  );
}

// A dead delivery gets a new group by its own workflow, as by Retry. A held one returns to the
// dispatcher, as a new group when it was tried before, so that its attempts stay apart.
const QUEUE = `
  with moved as (
    update delivery_state d set
      status = case when d.status = 'dead' then 'retrying' else 'pending' end,
      run = d.run + case when d.status = 'dead' or d.step > 0 then 1 else 0 end,
      step = 0, due_at = gatehouse_now(), finished_at = null
    from webhook_endpoint e
    where d.delivery_id = any(?::text[]) and d.status = any(?::text[])
      and e.id = d.endpoint_id and e.disabled_at is null and e.deleted_at is null
    returning d.delivery_id as id, d.endpoint_id, d.run, d.status
  ),
  woken as (
    insert into outbox (workflow_type, workflow_id, share, message)
    select ?, ? || id, endpoint_id, jsonb_build_object('kind', 'retry', 'run', run)
    from moved where status = 'retrying'
  )
  select count(*)::int as queued from moved`;

async function queueAgain(
  em: EntityManager,
  { recovery, ids }: { recovery: Locked; ids: string[] },
): Promise<number> {
  if (ids.length === 0) return 0;
  const { workflowType, workflowId } = deliveryActor('');
  const statuses = toArrayParameter(recovery.statuses);
  const [row] = await rows<{ queued: number }>(em, QUEUE, [
    toArrayParameter(ids),
    statuses,
    workflowType,
    workflowId,
  ]);
  return row!.queued;
}
