import { addMonths } from '../../../domain/shared/instant.ts';
import { now } from '../../../platform/database/database.ts';
import {
  listStatements,
  readEntries,
} from '../../../domain/billing/ledger/seller-statement.query.ts';
import { csvQuery } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute } from '../../http/route.ts';
import { loadSold, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { requireMonth } from '../requested-month.ts';
import { SHOWN_MONTHS, statementPage } from './statement.page.ts';
import { writeEntries } from './statement-labels.ts';
import { given } from '../../http/fields.ts';

const PATH = '/console/products/:ref/statements';

const monthRef = productRef.extend({ month: given(7) });

const showLatestStatement = defineRoute({
  ...SOLD_PAGE,
  path: PATH,
  summary: 'Show the statement of this month',
  input: { params: productRef },
  handler: (context) => show(context, ''),
});

const showStatement = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month`,
  summary: 'Show the statement of a month',
  input: { params: monthRef },
  handler: (context) => show(context, context.params.month),
});

const downloadEntries = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month/entries.csv`,
  summary: 'Download the entries of a month as CSV',
  input: { params: monthRef, query: csvQuery },
  async handler(context) {
    const { database } = context.services;
    const product = await loadSold(context, 'see_statements');
    const { from, to, name } = requireMonth(context.params.month, await now(database.em()));
    const batches = readEntries(() => database.em(), { productId: product.id, from, to });
    return csv(`${product.slug}-${name}.csv`, writeEntries(batches, product), context.query);
  },
});

async function show(context: ProductCall, name: string) {
  const em = context.services.database.em();
  const product = await loadSold(context, 'see_statements');
  const at = await now(em);
  const month = requireMonth(name, at);
  const from = addMonths(month.from, 1 - SHOWN_MONTHS);
  const statements = await listStatements(em, { productId: product.id, from, to: month.to });
  return page(context, statementPage({ product, month, now: at, statements }));
}

export const routes = [showLatestStatement, showStatement, downloadEntries];
