import { recoveryActor } from '../../outbox/actors.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../shared/ids.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { MOST_RECOVERED, type Recoverable } from './recovery.ts';

export type RecoveryFilter = {
  productId: string;
  endpointId: string | null;
  eventName: string | null;
  statuses: readonly Recoverable[];
  since: Date;
  /** Null: until now. */
  until: Date | null;
};

export type RecoveryRefusal = 'already_running' | 'nothing_found';

// One arm for each status, each a walk along the index of the states. Deliveries of a closed
// endpoint are left alone.
export const FOUND = `
  from unnest(?::text[]) as wanted (status) cross join lateral (
    select d.delivery_id, d.created_at from delivery_state d
    join delivery message on message.id = d.delivery_id
    join webhook_endpoint e on e.id = d.endpoint_id
      and e.disabled_at is null and e.deleted_at is null
    where d.product_id = ? and d.status = wanted.status
      and d.created_at >= ? and d.created_at <= least(?::timestamptz, gatehouse_now())
      and (?::uuid is null or d.endpoint_id = ?::uuid)
      and (?::text is null or message.event_name = ?::text)`;

export function foundValues(filter: RecoveryFilter): unknown[] {
  const { productId, endpointId, eventName, statuses, since, until } = filter;
  return [
    toArrayParameter(statuses),
    productId,
    since,
    until ?? 'infinity',
    endpointId,
    endpointId,
    eventName,
    eventName,
  ];
}

/** The number that the filter finds, up to the limit of one recovery. */
async function countFound(em: EntityManager, filter: RecoveryFilter): Promise<number> {
  const [row] = await rows<{ found: number }>(
    em,
    `select least(count(*), ${MOST_RECOVERED})::int as found ${FOUND} limit ${MOST_RECOVERED}) d`,
    foundValues(filter),
  );
  return row!.found;
}

/** One recovery a product at a time: the partial unique index decides between two clicks. */
export async function startRecovery(
  em: EntityManager,
  filter: RecoveryFilter & { startedBy: string },
): Promise<{ recoveryId: string; total: number } | Refusal<RecoveryRefusal>> {
  const total = await countFound(em, filter);
  const { productId, endpointId, eventName, statuses, since, until, startedBy } = filter;
  if (total === 0) {
    const running = await findRunning(em, productId);
    return refuse(running === null ? 'nothing_found' : 'already_running');
  }
  const id = newUuid();
  const started = await rows(
    em,
    `insert into recovery (id, product_id, endpoint_id, event_name, statuses, since, until, total,
       started_by)
     values (?, ?, ?, ?, ?::text[], ?, least(?::timestamptz, gatehouse_now()), ?, ?)
     on conflict (product_id) where status = 'running' do nothing returning 1`,
    [
      id,
      productId,
      endpointId,
      eventName,
      toArrayParameter(statuses),
      since,
      until ?? 'infinity',
      total,
      startedBy,
    ],
  );
  if (started.length === 0) return refuse('already_running');
  await sendToActor(em, recoveryActor(id), {});
  return { recoveryId: id, total };
}

async function findRunning(em: EntityManager, productId: string): Promise<string | null> {
  const [row] = await rows<{ id: string }>(
    em,
    `select id from recovery where product_id = ? and status = 'running'`,
    [productId],
  );
  return row?.id ?? null;
}
