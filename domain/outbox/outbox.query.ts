// Claims the messages of a queue, and looks at what waits: by the publishers, several times a second.
import type pg from 'pg';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { OutboxMessage } from './outbox.repository.ts';

// Longer than a batch takes to send; a publisher that dies delays its messages by so much.
const LEASE_S = 10;

// The shares take turns, the oldest message of each first: however much waits in one share, the
// others pass.
const CLAIM = `
  with recursive shares as (
    (select share, 1 as place from outbox
     where workflow_type = $1 and sent_at is null and parked_at is null and share > $2
     order by share limit 1)
    union all
    select next.share, s.place + 1 from shares s cross join lateral (
      select share from outbox
      where workflow_type = $1 and sent_at is null and parked_at is null and share > s.share
      order by share limit 1
    ) next where s.place < $3::int
  ),
  waiting as materialized (
    select next.id, s.share, s.place,
      row_number() over (partition by s.share order by next.id) as turn
    from shares s cross join lateral (
      select id from outbox
      where workflow_type = $1 and share = s.share and sent_at is null and parked_at is null
        and (lease_until is null or lease_until <= gatehouse_now())
      order by id limit $3::int
    ) next
  ),
  chosen as materialized (select * from waiting order by turn, place limit $3::int),
  picked as materialized (
    select still.id from chosen cross join lateral (
      select id from outbox where id = chosen.id and sent_at is null
        and (lease_until is null or lease_until <= gatehouse_now())
      for update skip locked
    ) still
  )
  update outbox o set lease_until = gatehouse_now() + interval '${LEASE_S} seconds'
  where o.id = any(array(select id from picked))
  returning o.id::text as id, o.workflow_id as "workflowId", o.message,
    (select share from chosen order by place desc limit 1) as "lastShare",
    (select count(*)::int from chosen) as chosen`;

const WAITING = `
  select lane.type as "workflowType" from unnest($1::text[]) as lane (type)
  where exists (
    select from outbox
    where workflow_type = lane.type and sent_at is null and parked_at is null
      and (lease_until is null or lease_until <= gatehouse_now())
  )`;

/** The queues with a message that may be claimed. */
export async function listWaitingLanes(
  pool: pg.Pool,
  workflowTypes: readonly string[],
): Promise<string[]> {
  const asked = { name: 'waiting_lanes', text: WAITING, values: [workflowTypes] };
  const { rows: found } = await pool.query<{ workflowType: string }>(asked);
  return found.map(({ workflowType }) => workflowType);
}

/** The start of a queue's first share. */
export const FIRST_SHARE = '';

/**
 * Leases unsent messages of a queue, of the shares after the given one: no other publisher takes
 * them meanwhile.
 */
export async function claimUnsent(
  pool: pg.Pool,
  lane: { workflowType: string; afterShare: string; limit: number },
): Promise<{ messages: OutboxMessage[]; chosen: number; lastShare: string }> {
  const { workflowType, afterShare, limit } = lane;
  const { rows: found } = await pool.query<OutboxMessage & { lastShare: string; chosen: number }>({
    name: 'claim_unsent',
    text: CLAIM,
    values: [workflowType, afterShare, limit],
  });
  const messages = found.sort((one, other) => Number(BigInt(one.id) - BigInt(other.id)));
  const { chosen = 0, lastShare = FIRST_SHARE } = found[0] ?? {};
  return { messages, chosen, lastShare };
}

const MARK_SENT = `update outbox set sent_at = gatehouse_now(), lease_until = null
  where id = any($1::bigint[])`;

export async function markSent(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await pool.query({ name: 'mark_sent', text: MARK_SENT, values: [ids] });
}

// The count of a queue stops here.
const MOST_COUNTED = 10_000;

/**
 * The number of unsent messages of a queue, up to a bound, and the age of the oldest in seconds.
 */
export async function readOutboxLag(
  em: EntityManager,
  workflowTypes: readonly string[],
): Promise<{ workflowType: string; waiting: number; oldestS: number }[]> {
  return rows(
    em,
    `select lane.type as "workflowType", unsent.waiting,
       coalesce(extract(epoch from gatehouse_now() - unsent.oldest), 0)::float as "oldestS"
     from unnest(?::text[]) as lane (type) cross join lateral (
       select count(*)::int as waiting, min(created_at) as oldest from (
         select created_at from outbox
         where workflow_type = lane.type and sent_at is null and parked_at is null
         limit ${MOST_COUNTED}
       ) counted
     ) unsent`,
    [workflowTypes],
  );
}
