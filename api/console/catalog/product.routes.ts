import { isFailing } from '../../../domain/catalog/diagnose.ts';
import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { receivingTeams } from '../../../domain/catalog/transfer.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { listTeamsOf } from '../../../domain/teams/team.repository.ts';
import { listRecentDeliveries } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { listEndpoints } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { withShownAddress } from '../webhooks/endpoint-address.ts';
import { readReadiness } from './sale-checklist.ts';
import { loadManaged } from '../managed-product.ts';
import { findIssues } from '../requests/find-issues.ts';
import { overviewPage } from './product.page.ts';

const DELIVERIES = 20;

const showManagedProduct = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref',
  summary: 'Show a product in the console',
  input: { params: productRef },
  async handler(context) {
    const { services, currentUser } = context;
    const product = await loadManaged(context);
    const em = services.database.em();
    const productIds = [product.id];
    const keys = await listKeys(em, productIds);
    const clients = await listClients(em, product.id);
    const endpoints = await listEndpoints(em, productIds);
    const deliveries = await listRecentDeliveries(em, { productIds, limit: DELIVERIES });
    const teams = receivingTeams(product, await listTeamsOf(em, currentUser.personId));
    const view = overviewPage({
      product,
      requirements: await readReadiness(em, { product, keys, clients }),
      keys,
      endpoints: endpoints.map((endpoint) => withShownAddress(product, endpoint)),
      deliveries,
      failing: (await findIssues(em, { product, keys, clients }))?.filter(isFailing) ?? [],
      isTransferable: isAllowed(product.roles, 'transfer') && teams.length > 0,
    });
    return page(context, view);
  },
});

export const routes = [showManagedProduct];
