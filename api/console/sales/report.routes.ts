import { readFigures, readRenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import { csvQuery } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute } from '../../http/route.ts';
import { loadSold, SOLD_PAGE } from '../managed-product.ts';
import { writeFigures } from './metric-labels.ts';
import { recurringPage } from './report.page.ts';

const PATH = '/console/products/:ref/recurring';

const SHOWN_MONTHS = 12;
const DOWNLOADED_MONTHS = 60;

const showRecurring = defineRoute({
  ...SOLD_PAGE,
  path: PATH,
  summary: 'Show recurring revenue',
  input: { params: productRef },
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
  ...SOLD_PAGE,
  path: `${PATH}/months.csv`,
  summary: 'Download recurring revenue as CSV',
  input: { params: productRef, query: csvQuery },
  async handler(context) {
    const product = await loadSold(context, 'see_statements');
    const em = context.services.database.em();
    const found = await readFigures(em, { productId: product.id, months: DOWNLOADED_MONTHS });
    return csv(`${product.slug}-months.csv`, writeFigures(found), context.query);
  },
});

export const routes = [showRecurring, downloadFigures];
