// Claims first attempts: owners and endpoints take turns, the oldest delivery of each endpoint
// first, within the limits of owners, endpoints and slow endpoints together.
import type pg from 'pg';
import {
  claimOf,
  FIRST_ATTEMPTS_LIMIT,
  IS_UNLEASED,
  newLease,
  OWNER,
  OWNER_LIMIT,
  OWNER_UNDER_WAY,
  pickWhere,
  SLOW_FIRST_ATTEMPTS_LIMIT,
  UNDER_WAY,
  type PickedRow,
  type ClaimRequest,
} from './claim-limits.query.ts';
import type { ClaimedDelivery } from './record-attempts.query.ts';

/** First attempts claimed on one visit to some endpoints. */
export type ClaimedRound = Visits & { deliveries: ClaimedDelivery[] };

type Visits = {
  /** Deliveries that could be claimed: another dispatcher may have been faster. */
  chosen: number;
  visited: number;
  lastVisitedEndpointId: string | null;
  /** More is due than the limits of its owner, its endpoint or the slow endpoints allow. */
  isAtLimit: boolean;
};

// Each step of the walk is one look into an index, so its cost does not grow with the backlog.
// Laterals, arrays and row places keep it so when the planner has no statistics: an index that was
// empty when it planned looks cheaper to it than the primary key.
const CLAIM_FIRST_ATTEMPTS = `
  with recursive clock as materialized (select gatehouse_now() as at),
  visited as (
    (select endpoint_id, 1 as place from delivery_state
     where status = 'pending' and endpoint_id > $3::uuid
     order by endpoint_id limit 1)
    union all
    select next.endpoint_id, v.place + 1 from visited v cross join lateral (
      select endpoint_id from delivery_state
      where status = 'pending' and endpoint_id > v.endpoint_id
      order by endpoint_id limit 1
    ) next where v.place < $4
  ),
  owned as materialized (
    select v.*, owner.owner_id, v.endpoint_id = any($5::uuid[]) as is_slow
    from visited v cross join lateral (${OWNER('v.endpoint_id')}) owner
  ),
  owner_room as materialized (
    select owner_id, greatest(0, ${OWNER_LIMIT} - under_way.n) as free
    from (select distinct owner_id from owned) owner
    cross join lateral (${OWNER_UNDER_WAY('owner.owner_id')}) under_way
  ),
  room as materialized (
    select owned.*, greatest(0, case when is_slow
      then ${SLOW_FIRST_ATTEMPTS_LIMIT} else ${FIRST_ATTEMPTS_LIMIT} end - under_way.n) as free
    from owned cross join lateral (${UNDER_WAY('owned.endpoint_id')}) under_way
  ),
  waiting as materialized (
    select next.id, next.found_at, room.endpoint_id, room.owner_id, room.is_slow, room.free,
      row_number() over (partition by room.endpoint_id order by next.due_at) as turn
    from room cross join lateral (
      select delivery_id as id, due_at, ctid as found_at from delivery_state d
      where endpoint_id = room.endpoint_id and status = 'pending'
        and due_at <= (select at from clock) and ${IS_UNLEASED}
      order by due_at limit room.free
    ) next
  ),
  in_turn as (
    select w.*, row_number() over (partition by w.owner_id order by w.turn, random()) as owner_turn
    from waiting w
  ),
  allowed as materialized (
    select t.* from in_turn t join owner_room using (owner_id) where t.owner_turn <= owner_room.free
  ),
  eligible as materialized (
    select * from allowed where not is_slow
    union all
    (select * from allowed where is_slow order by owner_turn, random() limit $6)
  ),
  chosen as materialized (select * from eligible order by owner_turn, random() limit $2),
  picked as materialized (
    select still.*, chosen.owner_id, message.*, endpoint.*
    from chosen ${pickWhere(`ctid = chosen.found_at and status = 'pending'`)}
  ),
  ${claimOf('l.until <= (select at from clock)')}
  select claimed.*, seen.* from claimed full join (
    select (select count(*)::int from chosen) as chosen,
      (select count(*)::int from visited) as visited,
      (select endpoint_id from visited order by place desc limit 1) as "lastVisitedEndpointId",
      exists (select from room where free = 0) or exists (select from waiting where turn = free)
        or (select count(*) from eligible) < (select count(*) from waiting) as "isAtLimit"
  ) seen on false`;

/** Claims what is due at some endpoints after the given one; each row names its current owner. */
export async function claimFirstAttempts(
  pool: pg.Pool,
  request: ClaimRequest & {
    limit: number;
    slowLimit: number;
    afterEndpointId: string;
    visits: number;
  },
): Promise<ClaimedRound> {
  const lease = newLease();
  const { rows } = await pool.query<PickedRow | (Visits & { id: null })>({
    name: 'claim_first_attempts',
    text: CLAIM_FIRST_ATTEMPTS,
    values: [
      lease.leaseToken,
      request.limit,
      request.afterEndpointId,
      request.visits,
      request.slowEndpointIds,
      request.slowLimit,
    ],
  });
  const deliveries: ClaimedDelivery[] = [];
  let visits: Visits | undefined;
  for (const row of rows) {
    if (row.id === null) visits = row;
    else if (row.isLeased) deliveries.push(Object.assign(row, lease));
  }
  return { ...visits!, deliveries };
}
