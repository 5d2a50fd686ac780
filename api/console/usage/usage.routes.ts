import {
  listMonthsOfUse,
  readMonthOfUse,
} from '../../../domain/usage/history/usage-days.repository.ts';
import { isAllowed, type Action } from '../../../domain/teams/permissions.ts';
import { now } from '../../../platform/database/database.ts';
import { csvQuery } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { loadManaged, type ProductCall } from '../managed-product.ts';
import { listMonths, monthQuery, requireMonth } from '../requested-month.ts';
import { usagePage } from './usage.page.ts';
import { writeDays } from './usage-labels.ts';
import { toDay } from '../../../domain/shared/instant.ts';

const PATH = '/console/products/:ref/usage';

const showUsage = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the usage of a month',
  input: { params: productRef, query: monthQuery },
  async handler(context) {
    const { product, at, month, usage } = await load(context);
    const known = await listMonthsOfUse(context.services.database.em(), product.id);
    const months = listMonths(at, [...known, month]);
    const mayExport = isAllowed(product.roles, 'refund');
    return page(context, usagePage({ product, month, months, usage, mayExport }));
  },
});

const downloadUsage = defineRoute({
  ...SESSION_PAGE,
  path: `${PATH}/days.csv`,
  summary: 'Download the usage of a month as CSV',
  input: { params: productRef, query: csvQuery.extend(monthQuery.shape) },
  async handler(context) {
    // An export, as the table of permissions has it.
    const { product, month, usage } = await load(context, 'refund');
    return csv(`${product.slug}-usage-${month}.csv`, writeDays(usage.days), context.query);
  },
});

type UsageCall = ProductCall & { query: { month: string } };

async function load(context: UsageCall, action: Action = 'see') {
  const product = await loadManaged(context, action);
  const em = context.services.database.em();
  const at = await now(em);
  const { name: month } = requireMonth(context.query.month, at);
  const usage = await readMonthOfUse(em, { productId: product.id, month, today: toDay(at) });
  return { product, at, month, usage };
}

export const routes = [showUsage, downloadUsage];
