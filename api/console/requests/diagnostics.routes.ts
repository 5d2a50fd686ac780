import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { listChecksOfDays } from '../../../domain/usage/checks-by-day.repository.ts';
import { readDaysOfUse } from '../../../domain/usage/history/usage-days.repository.ts';
import { readOutcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadManaged } from '../managed-product.ts';
import { diagnosticsPage } from './diagnostics.page.ts';
import { findIssues } from './find-issues.ts';

const DAYS = 7;
const HOURS = 24;

const showDiagnostics = defineRoute({
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
    const checks = await listChecksOfDays(em, { productId, days: DAYS });
    const span = { productId, from: checks.at(-1)!.day, to: checks[0]!.day };
    const view = diagnosticsPage({
      product,
      issues: await findIssues(em, { product, keys, clients }),
      today: (await readOutcomes(em, { productId, step: 'hour', count: HOURS })).hours,
      checks,
      usage: await readDaysOfUse(em, span),
      keys,
      clients,
    });
    return page(context, view);
  },
});

export const routes = [showDiagnostics];
