import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { DeliveryStatus, ErrorClass } from '../dispatch/record-attempts.query.ts';

export type DeliveryFilter = {
  status?: DeliveryStatus | null;
  eventName?: string | null;
  endpointId?: string | null;
  since?: Date | null;
  until?: Date | null;
};

export type DeliveryLine = {
  deliveryId: string;
  eventName: string;
  endpointId: string;
  url: string;
  status: DeliveryStatus;
  lastStatusCode: number | null;
  lastError: ErrorClass | null;
  attempts: number;
  /** The last attempt's duration. */
  durationMs: number | null;
  createdAt: Date;
  dueAt: Date | null;
};

/** `next` is the id of the last delivery shown when older ones follow. */
export type DeliveryPage = { lines: DeliveryLine[]; next: string | null };

type Search = { productId: string; filter: DeliveryFilter; before: string | null };

const PAGE = 50;

/** The newest first, before a given one; each row has its place by instant and id. */
export async function searchDeliveries(em: EntityManager, search: Search): Promise<DeliveryPage> {
  const { productId, before } = search;
  const place = before === null ? null : await findPlace(em, { productId, deliveryId: before });
  const { sql, values } = selectDeliveries({ ...search, place });
  type Row = DeliveryLine & Record<'createdAt' | 'dueAt', Date | string | null>;
  const found = await rows<Row>(em, sql, values);
  const lines = found.slice(0, PAGE).map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    dueAt: row.dueAt === null ? null : new Date(row.dueAt),
  }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.deliveryId : null };
}

type Place = { at: Date; id: string };

async function findPlace(
  em: EntityManager,
  { productId, deliveryId }: { productId: string; deliveryId: string },
): Promise<Place | null> {
  const [row] = await rows<{ at: Date | string }>(
    em,
    'select created_at as at from delivery where id = ? and product_id = ?',
    [deliveryId, productId],
  );
  return row ? { at: new Date(row.at), id: deliveryId } : null;
}

// Succeeded deliveries are the most and have no state: for every other status the states are read.
const ALL = {
  from: 'delivery w left join delivery_state s on s.delivery_id = w.id',
  id: 'w.id',
  eventName: 'w.event_name',
};
const UNSETTLED = {
  from: 'delivery_state w join delivery d on d.id = w.delivery_id',
  id: 'w.delivery_id',
  eventName: 'd.event_name',
};

/** One page and one row more, by a walk along the index that fits the filter. */
export function selectDeliveries(search: Omit<Search, 'before'> & { place: Place | null }) {
  const { status } = search.filter;
  const walk = status && status !== 'succeeded' ? UNSETTLED : ALL;
  const conditions = conditionsOf(search, walk);
  const sql = `
    select found.id as "deliveryId", d.event_name as "eventName", d.endpoint_id as "endpointId",
      e.url, d.status, d.last_status_code as "lastStatusCode", d.last_error as "lastError",
      a.attempts, a.duration_ms as "durationMs", d.created_at as "createdAt", d.due_at as "dueAt"
    from (
      select ${walk.id} as id from ${walk.from}
      where ${conditions.map(([condition]) => condition).join(' and ')}
      order by w.created_at desc, ${walk.id} desc limit ${PAGE + 1}
    ) found
    cross join lateral (select * from delivery_now where id = found.id offset 0) d
    join webhook_endpoint e on e.id = d.endpoint_id
    cross join lateral (
      select count(*)::int as attempts,
        (array_agg(duration_ms order by run desc, step desc))[1] as duration_ms
      from attempt where delivery_id = found.id
    ) a
    order by d.created_at desc, d.id desc`;
  return { sql, values: conditions.flatMap(([, ...values]) => values) };
}

type Condition = [sql: string, ...values: unknown[]];

function conditionsOf(
  { productId, filter, place }: Parameters<typeof selectDeliveries>[0],
  walk: typeof ALL,
): Condition[] {
  const { status, eventName, endpointId, since, until } = filter;
  const conditions: Condition[] = [['w.product_id = ?', productId]];
  if (status === 'succeeded') conditions.push(['s.delivery_id is null']);
  else if (status) conditions.push(['w.status = ?', status]);
  if (eventName) conditions.push([`${walk.eventName} = ?`, eventName]);
  if (endpointId) conditions.push(['w.endpoint_id = ?', endpointId]);
  if (since) conditions.push(['w.created_at >= ?', since]);
  if (until) conditions.push(['w.created_at < ?', until]);
  if (place)
    conditions.push([`(w.created_at, ${walk.id}) < (?::timestamptz, ?)`, place.at, place.id]);
  return conditions;
}
