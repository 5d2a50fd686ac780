import { listProductsOf } from '../../domain/catalog/managed-product.store.ts';
import { listKeys } from '../../domain/catalog/key-list.store.ts';
import {
  listEndpoints,
  listRecentDeliveries,
  type DeliveryView,
} from '../../domain/webhooks/delivery-list.store.ts';
import { deliveryActor } from '../../domain/platform/outbox/actors.ts';
import { page } from '../answer.ts';
import { defineRoute } from '../route.ts';
import type { Services } from '../services.ts';
import { consolePage } from './console.page.ts';

const DELIVERIES = 20;

export const showConsole = defineRoute({
  method: 'GET',
  path: '/console',
  summary: 'My products, their keys, endpoints and deliveries',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  async handler(call) {
    const em = call.services.database.em();
    const products = await listProductsOf(em, call.visitor.personId);
    const productIds = products.map(({ id }) => id);
    const [keys, endpoints, deliveries] = await Promise.all([
      listKeys(em, productIds),
      listEndpoints(em, productIds),
      listRecentDeliveries(em, { productIds, limit: DELIVERIES }),
    ]);
    const linked = deliveries.map((delivery) => ({
      ...delivery,
      workflowUrl: hasWorkflow(delivery) ? workflowUrl(call.services, delivery.deliveryId) : null,
    }));
    return page(call, consolePage({ products, keys, endpoints, deliveries: linked }));
  },
});

/** The first attempt needs none: only a delivery in trouble becomes one. */
function hasWorkflow({ status, attempts }: DeliveryView): boolean {
  return attempts > 1 || status === 'retrying' || status === 'dead';
}

function workflowUrl({ config }: Services, deliveryId: string): string | null {
  const { uiUrl, namespace } = config.temporal;
  if (!uiUrl) return null;
  const { workflowId } = deliveryActor(deliveryId);
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
