import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { WebhookEndpoint } from '../endpoints/endpoint.entity.ts';

export type EndpointView = {
  productId: string;
  url: string;
  events: string[];
  disabledAt: Date | null;
};

export type DeliveryView = {
  deliveryId: string;
  productName: string;
  eventName: string;
  status: string;
  lastStatusCode: number | null;
  lastError: string | null;
  attempts: number;
  createdAt: Date;
};

export async function listEndpoints(
  em: EntityManager,
  productIds: string[],
): Promise<EndpointView[]> {
  return em.find(
    WebhookEndpoint,
    { productId: { $in: productIds }, deletedAt: null },
    {
      fields: ['productId', 'url', 'events', 'disabledAt'],
      orderBy: { productId: 'asc', slot: 'asc' },
      disableIdentityMap: true,
    },
  );
}

/** The newest deliveries of the products: as many of each as are shown in all, by its index. */
export async function listRecentDeliveries(
  em: EntityManager,
  { productIds, limit }: { productIds: string[]; limit: number },
): Promise<DeliveryView[]> {
  const found = await rows<Omit<DeliveryView, 'createdAt'> & { createdAt: Date | string }>(
    em,
    `select d.id as "deliveryId", p.name as "productName", d.event_name as "eventName", d.status,
       d.last_status_code as "lastStatusCode", d.last_error as "lastError",
       d.created_at as "createdAt",
       (select count(*)::int from attempt a where a.delivery_id = d.id) as attempts
     from product p cross join lateral (
       select * from delivery_now where product_id = p.id
       order by created_at desc, id desc limit ?
     ) d
     where p.id = any(?::uuid[]) order by d.created_at desc, d.id desc limit ?`,
    [limit, toArrayParameter(productIds), limit],
  );
  return found.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
}
