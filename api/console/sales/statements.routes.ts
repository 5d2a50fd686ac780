import { now } from '../../../platform/database/database.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  listStatements,
  readEntries,
} from '../../../domain/billing/ledger/seller-statement.query.ts';
import {
  addMonths,
  decideMonth,
  monthOf,
} from '../../../domain/billing/ledger/seller-statement.ts';
import { csvQuery, encodeFor } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { defineRoute } from '../../http/route.ts';
import { loadSold, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { SHOWN_MONTHS, statementPage } from './statement.page.ts';
import { writeEntries } from './statement-labels.ts';
import { given } from '../../http/fields.ts';

const PATH = '/console/products/:ref/statements';

const monthRef = productRef.extend({ month: given(7) });

const REFUSALS = {
  not_a_month: 'Enter a month such as 2026-11.',
  not_begun: 'This month has not started yet.',
};

const showLatestStatement = defineRoute({
  ...SOLD_PAGE,
  path: PATH,
  summary: 'Show the statement of this month',
  input: { params: productRef },
  handler: (context) => show(context, null),
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
    const { from, to, name } = loadMonth(context.params.month, await now(database.em()));
    const batches = readEntries(() => database.em(), { productId: product.id, from, to });
    return csv(
      `${product.slug}-${name}.csv`,
      encodeFor(context.query, writeEntries(batches, product)),
    );
  },
});

async function show(context: ProductCall, name: string | null) {
  const em = context.services.database.em();
  const product = await loadSold(context, 'see_statements');
  const at = await now(em);
  const month = loadMonth(name ?? monthOf(at), at);
  const from = addMonths(month.from, 1 - SHOWN_MONTHS);
  const statements = await listStatements(em, { productId: product.id, from, to: month.to });
  return page(context, statementPage({ product, month, now: at, statements }));
}

function loadMonth(name: string, at: Date) {
  const month = decideMonth(name, at);
  if (!isRefusal(month)) return month;
  throw new HttpError('invalid_request', { message: REFUSALS[month.refused], param: 'month' });
}

export const routes = [showLatestStatement, showStatement, downloadEntries];
