import { z } from 'zod';
import { isFailing, waysToAsk } from '../../../domain/catalog/diagnose.ts';
import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { findSoldCurrency } from '../../../domain/catalog/prices/price-list.repository.ts';
import { listSaleRequirements } from '../../../domain/billing/checkout/sale-requirements.ts';
import { listLatestSales } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { OverviewDays } from '../../../domain/product-figures/overview.ts';
import { loadProductFigures } from '../../../domain/product-figures/product-figures.query.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { now } from '../../../platform/database/database.ts';
import { matching } from '../../http/fields.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadManaged } from '../managed-product.ts';
import { findIssues } from '../requests/find-issues.ts';
import { overviewPage } from './product.page.ts';

const LATEST = 4;
const MOST_USED = 'USD';

const overviewQuery = z.object({
  days: z.enum(['7', '28', '90']).catch('28'),
  currency: matching(/^[A-Z]{3}$/, 3)
    .optional()
    .catch(undefined),
});

const showManagedProduct = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref',
  summary: 'Show a product in the console',
  input: { params: productRef, query: overviewQuery },
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const { id: productId } = product;
    const keys = await listKeys(em, [productId]);
    const clients = await listClients(em, productId);
    const soldIn = await findSoldCurrency(em, productId);
    const currency = context.query.currency ?? soldIn ?? MOST_USED;
    const days = Number(context.query.days) as OverviewDays;
    const at = await now(em);
    const figures = await loadProductFigures(em, { productId, days, currency, now: at });
    const issues = (await findIssues(em, { product, keys, clients })) ?? [];
    const view = overviewPage({
      product,
      requirements: listSaleRequirements({
        ...product,
        ...waysToAsk({ keys, clients }),
        hasActivePrice: soldIn !== null,
      }),
      issues,
      failing: issues.filter(isFailing),
      shown: { days, currency, figures },
      seesMoney: isAllowed(product.roles, 'see_statements'),
      sales: await listLatestSales(em, { productId, limit: LATEST }),
      now: at,
    });
    return page(context, view);
  },
});

export const routes = [showManagedProduct];
