import { z } from 'zod';
import { now } from '../../../platform/database/database.ts';
import {
  findProductPeriods,
  listProductPeriods,
  readProductPeriods,
} from '../../../domain/pool/line/product-periods.repository.ts';
import { PERIOD_ID, PERIOD_ID_LENGTH } from '../../../domain/pool/input/pool-month.ts';
import { cursor, given, matching } from '../../http/fields.ts';
import { csvQuery, encodeFor } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { loadSold, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { requireMonth } from '../usage/usage-month.ts';
import { writeMonth, writePeriods } from './pool-files.ts';
import { poolMonthPage } from './pool-month.page.ts';
import { poolPage } from './pool.page.ts';

const PATH = '/console/products/:ref/pool';

const query = z.object({
  before: cursor(matching(PERIOD_ID, PERIOD_ID_LENGTH)).catch(null),
});

const monthRef = productRef.extend({ month: given(7) });

const showPool = defineRoute({
  ...SOLD_PAGE,
  path: PATH,
  summary: 'Show what the creator pool gave to the product',
  input: { params: productRef, query },
  async handler(context) {
    const em = context.services.database.em();
    const product = await loadSold(context, 'see_statements');
    const { before } = context.query;
    const found = await listProductPeriods(em, { productId: product.id, before });
    return page(context, poolPage({ product, ...found, before, now: await now(em) }));
  },
});

const downloadPool = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/lines.csv`,
  summary: 'Download all months of the creator pool as CSV',
  input: { params: productRef, query: csvQuery },
  async handler(context) {
    const { database } = context.services;
    const product = await loadSold(context, 'see_statements');
    const periods = readProductPeriods(() => database.em(), product.id);
    return csv(
      `${product.slug}-pool.csv`,
      encodeFor(context.query, writePeriods(periods, product)),
    );
  },
});

const showPoolMonth = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month`,
  summary: 'Show the statement of a month of the creator pool',
  input: { params: monthRef },
  async handler(context) {
    const { product, month, found } = await loadMonth(context);
    return page(context, poolMonthPage({ product, month, found }));
  },
});

const downloadPoolMonth = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month/lines.csv`,
  summary: 'Download a month of the creator pool as CSV',
  input: { params: monthRef, query: csvQuery },
  async handler(context) {
    const { product, month, found } = await loadMonth(context);
    return csv(
      `${product.slug}-pool-${month}.csv`,
      encodeFor(context.query, writeMonth(found, product)),
    );
  },
});

async function loadMonth(context: ProductCall & { params: { month: string } }) {
  const em = context.services.database.em();
  const product = await loadSold(context, 'see_statements');
  const month = requireMonth(context.params.month, await now(em));
  return { product, month, found: await findProductPeriods(em, { productId: product.id, month }) };
}

export const routes = [showPool, downloadPool, showPoolMonth, downloadPoolMonth];
