import { readFigures, readRenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import { csvQuery, encodeFor } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute } from '../../http/route.ts';
import { loadSold } from '../managed-product.ts';
import { writeFigures } from './metric-labels.ts';
import { recurringPage } from './report.page.ts';

const PATH = '/console/products/:ref/recurring';

const SHOWN_MONTHS = 12;
const DOWNLOADED_MONTHS = 60;

const shared = {
  method: 'GET',
  credential: 'session',
  limit: 'settings',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['forbidden', 'not_found', 'rate_limited', 'unavailable'],
} as const;

const showRecurring = defineRoute({
  ...shared,
  path: PATH,
  summary: 'Show recurring revenue',
  async handler(context) {
    const em = context.services.database.em();
    const product = await loadSold(context, 'see_statements');
    const productId = product.id;
    const found = await readFigures(em, { productId, months: SHOWN_MONTHS });
    const renewals = await readRenewalsAhead(em, { productId, at: found.at });
    return page(context, recurringPage({ product, ...found, ...renewals }));
  },
});

const downloadFigures = defineRoute({
  ...shared,
  path: `${PATH}/months.csv`,
  summary: 'Download recurring revenue as CSV',
  input: { params: productRef, query: csvQuery },
  async handler(context) {
    const product = await loadSold(context, 'see_statements');
    const em = context.services.database.em();
    const found = await readFigures(em, { productId: product.id, months: DOWNLOADED_MONTHS });
    return csv(`${product.slug}-months.csv`, encodeFor(context.query, writeFigures(found)));
  },
});

export const routes = [showRecurring, downloadFigures];
