// The limits of claims, and how a row is picked and leased. A lease is a row of its own table: in
// the state's row, each claim would write all of its indexes.
import { randomUUID } from 'node:crypto';
import type { ClaimedDelivery } from './record-attempts.query.ts';

/** Endpoints that answer slowly get less: they cannot hold what others need. */
export type ClaimRequest = { slowEndpointIds: readonly string[] };

// First attempts and retries of one owner (a team or a person) under way at once, over all
// processes.
export const OWNER_LIMIT = 512;
/** The share of retries in it. */
export const OWNER_RETRY_LIMIT = 32;

// First attempts and retries of one endpoint under way at once; a part is for retries alone.
export const ENDPOINT_LIMIT = 8;
export const FIRST_ATTEMPTS_LIMIT = 6;
export const SLOW_ENDPOINT_LIMIT = 2;
export const SLOW_FIRST_ATTEMPTS_LIMIT = 1;

// Longer than the 10 s of a send and the record after it.
const LEASE_S = 30;

export const UNDER_WAY = (endpointId: string) =>
  `select count(*) as n from delivery_lease o
   where o.endpoint_id = ${endpointId} and o.until > (select at from clock)`;

export const OWNER_UNDER_WAY = (ownerId: string) =>
  `select count(*) as n from delivery_lease o
   where o.owner_id = ${ownerId} and o.until > (select at from clock)`;

// Read from the product, so that a transferred product takes its endpoints along.
export const OWNER = (endpointId: string) =>
  `select coalesce(p.owner_team_id, p.owner_person_id) as owner_id
   from webhook_endpoint e join product p on p.id = e.product_id where e.id = ${endpointId} offset 0`;

/** SQL, of a row `d` of delivery_state, beside `clock`: no process is sending it. */
export const IS_UNLEASED = `not exists (select from delivery_lease l
  where l.endpoint_id = d.endpoint_id and l.delivery_id = d.delivery_id and l.until > (select at from clock))`;

// Locks a delivery's state and reads what is sent.
export const pickWhere = (stillSo: string) => `
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

// A picked row is locked, so the lease decides between two claims, and the row between a claim and
// a record. The endpoint is read again before every send: disabled holds a delivery, deleted
// cancels it.
export const claimOf = (isFree: string) => `
  leased as (
    insert into delivery_lease as l (delivery_id, endpoint_id, owner_id, token, until)
    select id, endpoint_id, owner_id, $1::uuid, clock.at + ${LEASE_S} * interval '1 second'
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

export type Lease = Pick<ClaimedDelivery, 'leaseToken' | 'claimedAt'>;

/** For a closed endpoint a claim only settles the row and leases nothing. */
export type PickedRow = Omit<ClaimedDelivery, keyof Lease> & { isLeased: boolean };

export function newLease(): Lease {
  return { leaseToken: randomUUID(), claimedAt: performance.now() };
}
