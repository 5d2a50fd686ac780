import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { ANY_REQUEST, searchRequests } from '../../../domain/request-log/request-log.repository.ts';
import { findFirstCalls } from '../../../domain/usage/checks-by-day.repository.ts';
import { hasDelivered } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { listEndpointOptions } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { originsOf } from '../../docs/guide-text.ts';
import { now } from '../../../platform/database/database.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { withShownAddress } from '../webhooks/endpoint-address.ts';
import { decideEndpointRights } from '../webhooks/show-endpoints.ts';
import { credentialRightsOf, loadManaged } from '../managed-product.ts';
import { integratePage } from './integrate.page.ts';

const showIntegration = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/integrate',
  summary: 'Show how to integrate the product',
  input: { params: productRef },
  async handler(context) {
    const product = await loadManaged(context);
    const { database, config } = context.services;
    const em = database.em();
    const productId = product.id;
    const endpoints = await listEndpointOptions(em, productId);
    const requests = { productId, filter: ANY_REQUEST, before: null, limit: 5 };
    const newest = endpoints.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    const view = integratePage({
      product,
      origins: originsOf(config),
      personId: context.currentUser.personId,
      keys: await listKeys(em, [productId]),
      clients: (await listClients(em, productId)).toReversed().filter(isLive),
      endpoints: newest.filter(isLive).map((endpoint) => withShownAddress(product, endpoint)),
      seen: await findFirstCalls(em, productId),
      requests: (await searchRequests(em, requests)).lines,
      now: await now(em),
      isDelivered: await hasDelivered(em, productId),
      credentialRights: credentialRightsOf(context, product),
      endpointRights: decideEndpointRights(context, product),
    });
    return page(context, view);
  },
});

const isLive = ({ isDisabled }: { isDisabled: boolean }) => !isDisabled;

export const routes = [showIntegration];
