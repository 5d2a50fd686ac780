import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { SECRET_VERSION } from './endpoint.repository.ts';

export type EndpointEntry = {
  endpointId: string;
  url: string;
  events: string[];
  createdAt: Date;
  disabledAt: Date | null;
  /** Until when the previous secret signs too; null when none does. */
  previousUntil: Date | null;
  /** Names the current secret. */
  secretVersion: string;
  last: LastDelivery | null;
};

/** The newest delivery, whatever its status. */
type LastDelivery = { at: Date; event: string; status: string; answer: string | null };

type Instant = 'createdAt' | 'disabledAt' | 'previousUntil';
type Row = Omit<EndpointEntry, Instant | 'last'> &
  Record<Instant, string | null> & { last: (Omit<LastDelivery, 'at'> & { at: string }) | null };

// Deliveries are read by the product's index: the newest of them show the health of its endpoints.
const LOOKED_AT = 200;

/** The endpoints of a product, at most ten, in the order of their slots. */
export async function listProductEndpoints(
  em: EntityManager,
  productId: string,
): Promise<EndpointEntry[]> {
  const found = await rows<Row>(
    em,
    `with recent as (
       select distinct on (endpoint_id) * from (
         select * from delivery_now where product_id = ?
         order by created_at desc, id desc limit ${LOOKED_AT}
       ) d order by endpoint_id, created_at desc, id desc
     )
     select e.id as "endpointId", e.url, e.events, e.created_at as "createdAt",
       e.disabled_at as "disabledAt",
       case when e.previous_until > gatehouse_now() then e.previous_until end as "previousUntil",
       ${SECRET_VERSION} as "secretVersion",
       case when r.id is not null then json_build_object('at', r.created_at, 'event', r.event_name,
         'status', r.status, 'answer', coalesce(r.last_status_code::text, r.last_error)) end as last
     from webhook_endpoint e left join recent r on r.endpoint_id = e.id
     where e.product_id = ? and e.deleted_at is null order by e.slot`,
    [productId, productId],
  );
  return found.map(toEntry);
}

function toEntry({ createdAt, disabledAt, previousUntil, last, ...row }: Row): EndpointEntry {
  return {
    ...row,
    createdAt: new Date(createdAt!),
    disabledAt: disabledAt === null ? null : new Date(disabledAt),
    previousUntil: previousUntil === null ? null : new Date(previousUntil),
    last: last && { ...last, at: new Date(last.at) },
  };
}
