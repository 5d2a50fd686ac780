import { searchDeliveries } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { findDelivery } from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import { countFailingDeliveries } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import { readOutcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import { listEndpointOptions } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { queryLink } from '../saved-queries.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { withShownAddress } from './endpoint-address.ts';
import { productPath } from '../console-frame.ts';
import { loadManaged } from '../managed-product.ts';
import { deliveriesPage } from './deliveries.page.ts';
import { deliveryQuery, readDeliveryId, toFilter } from './delivery-query.ts';

const CHART_HOURS = 48;

const showDeliveries = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/deliveries',
  summary: 'List deliveries',
  input: { params: productRef, query: deliveryQuery },
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const productId = product.id;
    const { query } = context;
    const id = readDeliveryId(query.id);
    if (id !== null && (await findDelivery(em, { productId, deliveryId: id }))) {
      return redirect(`${productPath(product.slug)}/deliveries/${id}`);
    }
    const endpoints = await listEndpointOptions(em, productId);
    const search = { productId, filter: toFilter(query), before: query.before };
    const { lines, next } = await searchDeliveries(em, search);
    const view = deliveriesPage({
      product,
      endpoints: endpoints.map((endpoint) => withShownAddress(product, endpoint)),
      outcomes: await readOutcomes(em, { productId, step: 'hour', count: CHART_HOURS }),
      found: { lines: lines.map((line) => withShownAddress(product, line)), next },
      failing: (await countFailingDeliveries(em, [productId]))[0] ?? null,
      query,
      now: await now(em),
      workflows: queryLink(context, { scope: 'product', id: productId }),
    });
    return page(context, view);
  },
});

export const routes = [showDeliveries];
