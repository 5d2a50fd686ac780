// Claiming deliveries: endpoints in turn, of each the oldest first and no more than it may have under way.
// A lease stands in a table of its own: in the state's row, each claim would write all of its indexes.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { ClaimedDelivery } from './dispatch.store.ts';

/** Endpoints that answer slowly get less: they cannot hold what others need. */
type Wish = { slowEndpointIds: readonly string[] };

/** First attempts claimed on one visit to a number of endpoints. */
export type ClaimedRound = Visits & { deliveries: ClaimedDelivery[] };

type Visits = {
  /** Deliveries that were there to be claimed: another dispatcher may have been faster. */
  chosen: number;
  lastChosenEndpointId: string | null;
  visited: number;
  lastVisitedEndpointId: string | null;
  /** Endpoints that have as much under way as they may. */
  atLimit: number;
};

export type RetryAttempt = { deliveryId: string; run: number; step: number };

export type ClaimedRetry =
  | { is: 'claimed'; delivery: ClaimedDelivery }
  | { is: 'busy'; endpointId: string };

// First attempts and retries of one endpoint under way at the same time; a part is left to retries.
export const ENDPOINT_LIMIT = 8;
const FIRST_ATTEMPTS_LIMIT = 6;
export const SLOW_ENDPOINT_LIMIT = 2;
const SLOW_FIRST_ATTEMPTS_LIMIT = 1;

// Longer than the 10 s that a send may take and the record after it.
const LEASE_S = 30;

const UNDER_WAY = (endpointId: string) =>
  `select count(*) as n from delivery_lease o
   where o.endpoint_id = ${endpointId} and o.until > (select at from clock)`;

/** In SQL, of a row `d` of delivery_state, beside `clock`: nobody is sending it. */
export const IS_UNLEASED = `not exists (select from delivery_lease l
  where l.endpoint_id = d.endpoint_id and l.delivery_id = d.delivery_id and l.until > (select at from clock))`;

// The lock of a delivery's state and, by it, what is sent.
const pickWhere = (stillSo: string) => `
    cross join lateral (
      select delivery_id as id, endpoint_id, step, ctid as found_at from delivery_state d
      where ${stillSo} for update skip locked
    ) still cross join lateral (
      select event_name, body from delivery where id = still.id offset 0
    ) message cross join lateral (
      select url, sealed_secret, previous_sealed_secret, previous_until, deleted_at is not null as is_deleted,
        coalesce(deleted_at, disabled_at) is not null as is_closed
      from webhook_endpoint where id = still.endpoint_id offset 0
    ) endpoint`;

// Whoever picks a row holds its lock, so the lease decides between two claims, and the row between a claim
// and a record. The endpoint is read again before every send: disabled holds a delivery, deleted cancels it.
const claimOf = (isFree: string) => `
  leased as (
    insert into delivery_lease as l (delivery_id, endpoint_id, token, until)
    select id, endpoint_id, $1::uuid, clock.at + ${LEASE_S} * interval '1 second'
    from picked, clock where not is_closed
    on conflict (endpoint_id, delivery_id) do update set token = excluded.token, until = excluded.until
      where ${isFree}
    returning delivery_id, old.token is not null as was_interrupted
  ),
  closed as (
    update delivery_state d set due_at = null,
      status = case when p.is_deleted then 'cancelled' else 'held' end,
      finished_at = case when p.is_deleted then clock.at end
    from picked p, clock
    where d.ctid = p.found_at and p.is_closed
    returning p.id, d.endpoint_id
  ),
  let_go as (
    delete from delivery_lease l using closed
    where l.endpoint_id = closed.endpoint_id and l.delivery_id = closed.id and ${isFree}
  ),
  claimed as (
    select p.id, p.endpoint_id as "endpointId", p.step, p.found_at as "foundAt",
      leased.delivery_id is not null as "isLeased", leased.was_interrupted as "wasInterrupted",
      p.event_name as "eventName", p.body, p.url, p.sealed_secret as "sealedSecret",
      case when p.previous_until > clock.at then p.previous_sealed_secret end
        as "previousSealedSecret",
      (extract(epoch from p.previous_until - clock.at) * 1000)::float8 as "previousForMs"
    from picked p cross join clock left join leased on leased.delivery_id = p.id
  )`;

// Each step of the walk is one look into an index, however much waits there: nothing here grows with the
// backlog. Laterals, arrays and places of rows keep it so where the planner knows no numbers: an index
// that was empty when it planned looks cheaper to it than the primary key.
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
  room as materialized (
    select v.endpoint_id, v.place, greatest(0, case when v.endpoint_id = any($5::uuid[])
      then ${SLOW_FIRST_ATTEMPTS_LIMIT} else ${FIRST_ATTEMPTS_LIMIT} end - under_way.n) as free
    from visited v cross join lateral (${UNDER_WAY('v.endpoint_id')}) under_way
  ),
  waiting as materialized (
    select next.id, next.found_at, room.endpoint_id, room.place, room.free,
      row_number() over (partition by room.endpoint_id order by next.due_at) as turn
    from room cross join lateral (
      select delivery_id as id, due_at, ctid as found_at from delivery_state d
      where endpoint_id = room.endpoint_id and status = 'pending'
        and due_at <= (select at from clock) and ${IS_UNLEASED}
      order by due_at limit room.free
    ) next
  ),
  chosen as materialized (select * from waiting order by turn, place limit $2),
  picked as materialized (
    select still.*, message.*, endpoint.* from chosen ${pickWhere(`ctid = chosen.found_at and status = 'pending'`)}
  ),
  ${claimOf('l.until <= (select at from clock)')}
  select claimed.*, seen.* from claimed full join (
    select (select count(*)::int from chosen) as chosen,
      (select endpoint_id from chosen order by place desc limit 1) as "lastChosenEndpointId",
      (select count(*)::int from visited) as visited,
      (select endpoint_id from visited order by place desc limit 1) as "lastVisitedEndpointId",
      (select count(*)::int from room where free = 0)
        + (select count(*)::int from waiting where turn = free) as "atLimit"
  ) seen on false`;

/** Claims what is due at so many endpoints after the given one; the row of each tells whose it is now. */
export async function claimFirstAttempts(
  pool: pg.Pool,
  wish: Wish & { limit: number; afterEndpointId: string; visits: number },
): Promise<ClaimedRound> {
  const lease = newLease();
  const { rows } = await pool.query<PickedRow | (Visits & { id: null })>({
    name: 'claim_first_attempts',
    text: CLAIM_FIRST_ATTEMPTS,
    values: [lease.leaseToken, wish.limit, wish.afterEndpointId, wish.visits, wish.slowEndpointIds],
  });
  const deliveries: ClaimedDelivery[] = [];
  let visits: Visits | undefined;
  for (const row of rows) {
    if (row.id === null) visits = row;
    else if (row.isLeased) deliveries.push(Object.assign(row, lease));
  }
  return { ...visits!, deliveries };
}

// A retry's lease may be taken over: Temporal gave the attempt to another worker.
const CLAIM_RETRIES = `
  with clock as materialized (select gatehouse_now() as at),
  asked as materialized (
    select * from unnest($2::text[], $3::int[], $4::int[]) with ordinality as a(id, run, step, place)
  ),
  found as materialized (
    select due.delivery_id as id, due.found_at, due.endpoint_id, due.run, due.step,
      row_number() over (partition by due.endpoint_id order by a.place) as turn
    from asked a cross join lateral (
      select d.*, d.ctid as found_at from delivery_state d where d.delivery_id = a.id offset 0
    ) due
    where due.run = a.run and due.step = a.step and due.status = 'retrying'
      and due.due_at <= (select at from clock)
  ),
  picked as materialized (
    select still.*, message.*, endpoint.* from found
    cross join lateral (${UNDER_WAY('found.endpoint_id')} and o.delivery_id <> all($2)) under_way
    ${pickWhere(`d.ctid = found.found_at and d.run = found.run and d.step = found.step and d.status = 'retrying'`)}
    where found.turn + under_way.n <= case when found.endpoint_id = any($5::uuid[])
      then ${SLOW_ENDPOINT_LIMIT} else ${ENDPOINT_LIMIT} end
  ),
  ${claimOf('true')}
  select claimed.*, found.id as "foundId", found.endpoint_id as "foundEndpointId"
  from found left join claimed on claimed.id = found.id`;

/** Claims one step of a run each; null where the row says that it is not to be sent now. */
export async function claimRetries(
  pool: pg.Pool,
  { attempts, slowEndpointIds }: Wish & { attempts: readonly RetryAttempt[] },
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

type Lease = Pick<ClaimedDelivery, 'leaseToken' | 'claimedAt'>;

/** Of a closed endpoint a claim only settles the row, and leases nothing. */
type PickedRow = Omit<ClaimedDelivery, keyof Lease> & { isLeased: boolean };

function newLease(): Lease {
  return { leaseToken: randomUUID(), claimedAt: performance.now() };
}
