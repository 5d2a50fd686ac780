// Claims retries, each by the step that its workflow names.
import type pg from 'pg';
import {
  claimOf,
  ENDPOINT_LIMIT,
  newLease,
  OWNER,
  OWNER_RETRY_LIMIT,
  OWNER_UNDER_WAY,
  pickWhere,
  SLOW_ENDPOINT_LIMIT,
  UNDER_WAY,
  type PickedRow,
  type ClaimRequest,
} from './claim-limits.query.ts';
import type { ClaimedDelivery } from './record-attempts.query.ts';

export type RetryAttempt = { deliveryId: string; run: number; step: number };

export type ClaimedRetry =
  | { is: 'claimed'; delivery: ClaimedDelivery }
  | { is: 'busy'; endpointId: string };

// A retry's lease may be taken over: Temporal gave the attempt to another worker.
const CLAIM_RETRIES = `
  with clock as materialized (select gatehouse_now() as at),
  asked as materialized (
    select * from unnest($2::text[], $3::int[], $4::int[]) with ordinality as a(id, run, step, place)
  ),
  found as materialized (
    select d.delivery_id as id, d.found_at, d.endpoint_id, owner.owner_id, d.run, d.step,
      row_number() over (partition by d.endpoint_id order by d.place) as turn,
      row_number() over (partition by owner.owner_id order by d.place) as owner_turn
    from asked a cross join lateral (
      select s.*, s.ctid as found_at, a.place from delivery_state s where s.delivery_id = a.id offset 0
    ) d cross join lateral (${OWNER('d.endpoint_id')}) owner
    where d.run = a.run and d.step = a.step and d.status = 'retrying'
      and d.due_at <= (select at from clock)
  ),
  owner_room as materialized (
    select owner_id, ${OWNER_RETRY_LIMIT} - under_way.n as free
    from (select distinct owner_id from found) owner
    cross join lateral (${OWNER_UNDER_WAY('owner.owner_id')} and o.delivery_id <> all($2)
      and (select status = 'retrying' from delivery_state where delivery_id = o.delivery_id)) under_way
  ),
  picked as materialized (
    select still.*, found.owner_id, message.*, endpoint.* from found join owner_room using (owner_id)
    cross join lateral (${UNDER_WAY('found.endpoint_id')} and o.delivery_id <> all($2)) under_way
    ${pickWhere(`d.ctid = found.found_at and d.run = found.run and d.step = found.step and d.status = 'retrying'`)}
    where found.owner_turn <= owner_room.free
      and found.turn + under_way.n <= case when found.endpoint_id = any($5::uuid[])
        then ${SLOW_ENDPOINT_LIMIT} else ${ENDPOINT_LIMIT} end
  ),
  ${claimOf('true')}
  select claimed.*, found.id as "foundId", found.endpoint_id as "foundEndpointId"
  from found left join claimed on claimed.id = found.id`;

/** Claims one step of a group each; null when the row says that it must not be sent now. */
export async function claimRetries(
  pool: pg.Pool,
  { attempts, slowEndpointIds }: ClaimRequest & { attempts: readonly RetryAttempt[] },
): Promise<(ClaimedRetry | null)[]> {
  const lease = newLease();
  type Row = (PickedRow | { id: null }) & { foundId: string; foundEndpointId: string };
  const { rows } = await pool.query<Row>({
    name: 'claim_retries',
    text: CLAIM_RETRIES,
    values: [
      lease.leaseToken,
      attempts.map(({ deliveryId }) => deliveryId),
      attempts.map(({ run }) => run),
      attempts.map(({ step }) => step),
      slowEndpointIds,
    ],
  });
  const found = new Map(rows.map((row) => [row.foundId, row]));
  return attempts.map(({ deliveryId }) => {
    const row = found.get(deliveryId);
    found.delete(deliveryId); // asked for twice at once: one of them sends it
    if (!row) return null;
    if (row.id === null) return { is: 'busy', endpointId: row.foundEndpointId };
    return row.isLeased ? { is: 'claimed', delivery: { ...row, ...lease } } : null;
  });
}
