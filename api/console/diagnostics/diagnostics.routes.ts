import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { listUsageOfDays } from '../../../domain/usage/usage-day.repository.ts';
import { readOutcomes } from '../../../domain/webhooks/deliveries/outcomes.repository.ts';
import { page } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { defineRoute, SESSION_PAGE } from '../../route.ts';
import { loadManaged } from '../managed-product.ts';
import { diagnosticsPage } from './diagnostics.page.ts';
import { findIssues } from './find-issues.ts';

const DAYS = 7;
const HOURS = 24;

export const showDiagnostics = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/diagnostics',
  summary: 'Show diagnostics',
  input: { params: productRef },
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const productId = product.id;
    const keys = await listKeys(em, [productId]);
    const clients = await listClients(em, productId);
    const view = diagnosticsPage({
      product,
      issues: await findIssues(em, { product, keys, clients }),
      today: (await readOutcomes(em, { productId, hours: HOURS })).hours,
      usage: await listUsageOfDays(em, { productId, days: DAYS }),
      keys,
      clients,
    });
    return page(context, view);
  },
});
