import { diagnose, type Finding } from '../../../domain/catalog/diagnose.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { listKeys, type KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import {
  listClients,
  type RegisteredClient,
} from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { listUsageOfDays } from '../../../domain/usage/usage-day.repository.ts';
import {
  countWaiting,
  listEndpointHealth,
} from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { readOutcomes } from '../../../domain/webhooks/deliveries/outcomes.repository.ts';
import { page } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { defineRoute } from '../../route.ts';
import { withShownAddress } from '../endpoints/endpoint-address.ts';
import { loadManaged } from '../managed-product.ts';
import { diagnosticsPage } from './diagnostics.page.ts';

const DAYS = 7;
const HOURS = 24;

export const showDiagnostics = defineRoute({
  method: 'GET',
  path: '/console/products/:ref/diagnostics',
  summary: 'Show diagnostics',
  credential: 'session',
  limit: null,
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const productId = product.id;
    const keys = await listKeys(em, [productId]);
    const clients = await listClients(em, productId);
    const isIntegrated = product.delivery === 'entitlement_api';
    const view = diagnosticsPage({
      product,
      findings: isIntegrated ? await find(em, { product, keys, clients }) : null,
      today: (await readOutcomes(em, { productId, hours: HOURS })).hours,
      usage: await listUsageOfDays(em, { productId, days: DAYS }),
      keys,
      clients,
    });
    return page(context, view);
  },
});

type Known = { product: ManagedProduct; keys: KeyView[]; clients: RegisteredClient[] };

async function find(em: EntityManager, { product, keys, clients }: Known): Promise<Finding[]> {
  const productId = product.id;
  const endpoints = await listEndpointHealth(em, productId);
  return diagnose({
    keys,
    clients: clients.map(({ name, isDisabled, secrets }) => ({
      name,
      isDisabled,
      secretsEnd: secrets.flatMap(({ expiresAt }) => (expiresAt ? [new Date(expiresAt)] : [])),
    })),
    endpoints: endpoints.map((endpoint) => withShownAddress(product, endpoint)),
    ...(await countWaiting(em, productId)),
  });
}
