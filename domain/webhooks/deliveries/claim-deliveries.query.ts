// Claims first attempts and retries in one statement, under one throttle.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { closeClaimed } from './end-deliveries.query.ts';
import {
  ENDPOINT_LIMIT,
  KEPT_FOR_RETRIES,
  OWNER_LIMIT,
  OWNER_RETRY_LIMIT,
  SLOW_ENDPOINT_LIMIT,
  SLOW_KEPT_FOR_RETRIES,
} from './attempts-at-once.ts';

// Longer than the 10 s of a send and the record after it.
const LEASE = `interval '30 seconds'`;

// A retry takes over its own lease, which does not count against it.
const IS_COUNTED = `until > (select at from clock) and delivery_id <> all($1)`;

const LIMIT = `case when is_slow then ${SLOW_ENDPOINT_LIMIT} else ${ENDPOINT_LIMIT} end`;
const FOR_RETRIES = `case when is_slow then ${SLOW_KEPT_FOR_RETRIES} else ${KEPT_FOR_RETRIES} end`;

// The next endpoints with first attempts, each by one look into an index.
const VISITED = `
  (select endpoint_id, 1 as place from delivery_state
   where status = 'pending' and endpoint_id > $4::uuid and $5::int > 0 order by endpoint_id limit 1)
  union all
  select next.endpoint_id, v.place + 1 from visited v cross join lateral (
    select endpoint_id from delivery_state
    where status = 'pending' and endpoint_id > v.endpoint_id order by endpoint_id limit 1) next
  where v.place < $5`;

// The columns of `Round`.
const ROUND = `
  select (select count(*)::int from chosen where status = 'pending' and not is_slow) as quick,
    (select count(*)::int from chosen where status = 'pending') as chosen,
    (select count(*) from waiting) > (select count(*) from chosen) as "isAtLimit",
    array(select endpoint_id from visited order by place) as visited,
    (select jsonb_object_agg(id, endpoint_id) from requested
     where id not in (select id from picked)) as busy`;

// The columns of `ClaimedDelivery`. The endpoint is read before each attempt, because it may be
// closed by now.
const SENT = `
  select leased.id, "wasInterrupted", "isRetry", d.*, e.* from leased cross join lateral (
    select run, step, event_name as "eventName", body, is_example as "isExample"
    from delivery_state join delivery on id = delivery_id
    where delivery_id = leased.id offset 0) d cross join lateral (
    select id as "endpointId", product_id as "productId", url,
      encrypted_secret as "encryptedSecret", previous_encrypted_secret as "previousEncryptedSecret",
      (extract(epoch from previous_until - clock.at) * 1000)::float8 as "previousForMs",
      coalesce(deleted_at, disabled_at) is not null as "isClosed"
    from webhook_endpoint, clock where id = leased.endpoint_id offset 0) e`;

// Every row is found by a key, so the cost does not grow with what waits. `offset 0` keeps it so
// when statistics are old: the planner cannot turn such a look-up into a join that scans a table.
const CLAIM = `
  with recursive clock as materialized (select gatehouse_now() as at),
  -- 1. The retries that workflows ask for, when they are due.
  requested as materialized (
    select distinct d.* from unnest($1::text[], $2::int[], $3::int[]) a (id, run, step)
    cross join lateral (
      select delivery_id as id, endpoint_id, status, run, step, due_at from delivery_state
      where delivery_id = a.id offset 0) d
    where (status, d.run, d.step) = ('retrying', a.run, a.step)
      and due_at <= (select at from clock)),
  -- 2. The next endpoints with first attempts.
  visited as (${VISITED}),
  -- 3. What these endpoints and the owners of their products may still have under way.
  endpoint as materialized (
    select e.id, is_slow, owner_id, ${LIMIT} - l.n as free, ${FOR_RETRIES} as for_retries
    from (select endpoint_id from visited union select endpoint_id from requested) e (id)
    cross join lateral (select e.id = any($6::uuid[]) as is_slow) speed
    cross join lateral (
      select coalesce(owner_team_id, owner_person_id) as owner_id from product
      where id = (select product_id from webhook_endpoint where id = e.id) offset 0) product
    cross join lateral (
      select count(*) as n from delivery_lease where endpoint_id = e.id and ${IS_COUNTED}) l),
  owner as materialized (
    select o.id, ${OWNER_LIMIT} - l.n as free, ${OWNER_RETRY_LIMIT} - l.retries as free_for_retries
    from (select distinct owner_id from endpoint) o (id) cross join lateral (
      select count(*) as n, count(*) filter (where is_retry) as retries from delivery_lease
      where owner_id = o.id and ${IS_COUNTED}) l),
  -- 4. The oldest of each endpoint. One more than it may have shows that it is at its limit.
  waiting as materialized (
    select * from requested
    union all
    select next.* from visited v join endpoint e on e.id = v.endpoint_id cross join lateral (
      select delivery_id, endpoint_id, status, run, step, due_at from delivery_state d
      where endpoint_id = e.id and status = 'pending' and due_at <= (select at from clock)
        and not exists (select from delivery_lease where endpoint_id = e.id
          and delivery_id = d.delivery_id and until > (select at from clock) offset 0)
      order by due_at limit greatest(0, e.free - e.for_retries) + 1) next),
  -- 5. The throttle: of each endpoint, where retries come first, then of each owner, then of all
  -- endpoints that answer slowly or quickly.
  by_endpoint as (
    select w.*, owner_id, is_slow,
      free - case status when 'pending' then for_retries else 0 end as free,
      row_number() over (partition by e.id order by status = 'pending', due_at) as rank
    from waiting w join endpoint e on e.id = w.endpoint_id),
  by_owner as (
    select *,
      row_number() over (partition by owner_id, status order by rank, random()) as owner_rank
    from by_endpoint where rank <= free),
  by_speed as (
    select a.*,
      row_number() over (partition by status, is_slow order by owner_rank, random()) as place
    from by_owner a join owner on owner.id = a.owner_id
    where owner_rank <= case status when 'pending' then owner.free else free_for_retries end),
  chosen as materialized (
    select * from by_speed
    where status = 'retrying' or place <= case when is_slow then $8::int else $7::int end),
  -- 6. Lock the states, which must be as they were. The lease decides between two claims; that of a
  -- retry is taken over, because Temporal gave the attempt to another worker.
  picked as materialized (
    select chosen.* from chosen cross join lateral (
      select status, run, step from delivery_state
      where delivery_id = chosen.id offset 0 for update skip locked) d
    where (d.status, d.run, d.step) = (chosen.status, chosen.run, chosen.step)),
  leased as (
    insert into delivery_lease as l (delivery_id, endpoint_id, owner_id, is_retry, token, until)
    select id, endpoint_id, owner_id, status = 'retrying', $9::uuid, at + ${LEASE}
    from picked, clock
    on conflict (endpoint_id, delivery_id) do update
      set token = excluded.token, until = excluded.until, is_retry = excluded.is_retry
      where l.until <= (select at from clock) or excluded.is_retry
    returning delivery_id as id, endpoint_id, is_retry as "isRetry",
      old.token is not null as "wasInterrupted")
  -- 7. One row about the claim, and one of each delivery: what is sent.
  select round.*, sent.* from (${ROUND}) round full join (${SENT}) sent on false`;

/** One step of an attempt group, which its workflow names. */
export type RetryAttempt = { deliveryId: string; run: number; step: number };

export type ClaimRequest = {
  retries: readonly RetryAttempt[];
  /** First attempts of so many endpoints after the given one. */
  afterEndpointId: string;
  visits: number;
  /** The most first attempts of endpoints that answer quickly, and of slow ones. */
  limit: number;
  slowLimit: number;
  slowEndpointIds: readonly string[];
};

/** A delivery that this process alone may send until its lease ends. */
export type ClaimedDelivery = {
  id: string;
  endpointId: string;
  productId: string;
  run: number;
  step: number;
  isRetry: boolean;
  leaseToken: string;
  /** An earlier send of this step died without recording its outcome. */
  wasInterrupted: boolean;
  eventName: string;
  /** Sent from the console, like a test event. */
  isExample: boolean;
  body: Buffer;
  url: string;
  encryptedSecret: string;
  /**
   * The previous secret signs too within the rotation window, which may end before the delivery is
   * signed.
   */
  previousEncryptedSecret: string | null;
  /** The rest of the window when the delivery was claimed; negative after its end. */
  previousForMs: number | null;
  /** The instant of the claim by `performance.now()`. */
  claimedAt: number;
};

export type Claimed = Round & { deliveries: ClaimedDelivery[] };

type Round = {
  /** First attempts that could be claimed: another dispatcher may have been faster. */
  chosen: number;
  /** The deliveries of endpoints that answer quickly. */
  quick: number;
  /** More is due than the limits allow. */
  isAtLimit: boolean;
  visited: string[];
  /** The endpoints of the retries that have to wait, by delivery. */
  busy: Record<string, string> | null;
};

type ClaimedRow = (Round & { id: null }) | (ClaimedDelivery & { isClosed: boolean });

export async function claim(pool: pg.Pool, request: ClaimRequest): Promise<Claimed> {
  const { retries, afterEndpointId, visits, slowEndpointIds, limit, slowLimit } = request;
  const lease = { leaseToken: randomUUID(), claimedAt: performance.now() };
  const { rows } = await pool.query<ClaimedRow>({
    name: 'claim',
    text: CLAIM,
    values: [
      retries.map(({ deliveryId }) => deliveryId),
      retries.map(({ run }) => run),
      retries.map(({ step }) => step),
      afterEndpointId,
      visits,
      slowEndpointIds,
      limit,
      slowLimit,
      lease.leaseToken,
    ],
  });
  let round: Round | undefined;
  const deliveries: ClaimedDelivery[] = [];
  const closed: ClaimedDelivery[] = [];
  for (const row of rows) {
    if (row.id === null) round = row;
    else if (row.isClosed) closed.push(row);
    else deliveries.push(Object.assign(row, lease));
  }
  if (closed.length > 0) {
    // What cannot be closed now is claimed again when its lease is over; the others are sent.
    await closeClaimed(pool, closed, lease.leaseToken).catch(() => undefined);
  }
  return { ...round!, deliveries };
}
