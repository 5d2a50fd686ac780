import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import {
  countSales,
  findSale,
  listSales,
  readSales,
  type SaleDetail,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import { SALE_STATES } from '../../../domain/billing/purchases/sale-state.ts';
import { listSaleMoments } from '../../../domain/billing/purchases/sale-history.repository.ts';
import { listStatements } from '../../../domain/billing/ledger/seller-statement.query.ts';
import {
  decideMonth,
  monthsUpTo,
  type Month,
} from '../../../domain/billing/ledger/seller-statement.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { csvQuery } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { cursor, given, matching } from '../../http/fields.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadSold, refundBlockReason, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { requireMonth } from '../requested-month.ts';
import { workflowUrl } from '../workflow-url.ts';
import { purchasePage, type RefundDraft } from './purchase.page.ts';
import { writeSales } from './purchase-labels.ts';
import { LONGEST_FIND, purchasesPage } from './purchases.page.ts';

export const PURCHASES = '/console/products/:ref/purchases';

const purchaseId = matching(publicIdPattern('pay_'), 30);

// A malformed id matches no purchase.
export const purchaseRef = productRef.extend({
  purchase: given(30).transform((id) => purchaseId.safeParse(id).data ?? null),
});

// Another value counts as absent.
const state = z.enum(SALE_STATES).nullable().default(null).catch(null);
const find = given(LONGEST_FIND)
  .transform((typed) => typed.replaceAll('\0', '').trim().replace(/^@/, ''))
  .default('')
  .catch('');

const filters = { state, find, month: given(7).default('').catch('') };

const showPurchases = defineRoute({
  ...SESSION_PAGE,
  path: PURCHASES,
  summary: 'List purchases of a product',
  input: {
    params: productRef,
    query: z.object({ ...filters, before: cursor(purchaseId).catch(null) }),
  },
  async handler(context) {
    const product = await loadSold(context);
    const em = context.services.database.em();
    const { state, find, before } = context.query;
    const at = await now(em);
    const span = spanOf(context.query.month, at);
    const among = { productId: product.id, span };
    const found = await listSales(em, { ...among, state, find, before });
    const view = purchasesPage({
      product,
      ...found,
      filter: { state, find, month: span?.name ?? '' },
      before,
      months: monthsUpTo(requireMonth('', at), SHOWN_MONTHS).toReversed(),
      counts: await countSales(em, among),
      statements: await readTotals(em, product, span ?? requireMonth('', at)),
      mayExport: isAllowed(product.roles, 'refund'),
    });
    return page(context, view);
  },
});

const SHOWN_MONTHS = 12;

/** Another value than a month counts as absent. */
function spanOf(name: string, at: Date): Month | null {
  const month = decideMonth(name, at);
  return isRefusal(month) ? null : month;
}

async function readTotals(em: EntityManager, { id, roles }: ManagedProduct, { from, to }: Month) {
  if (!isAllowed(roles, 'see_statements')) return null;
  return listStatements(em, { productId: id, from, to });
}

const downloadPurchases = defineRoute({
  ...SOLD_PAGE,
  path: '/console/products/:ref/purchases.csv',
  summary: 'Download purchases of a product as CSV',
  input: { params: productRef, query: csvQuery.extend(filters) },
  async handler(context) {
    const { database } = context.services;
    // An export names people, as that of subscribers does.
    const product = await loadSold(context, 'refund');
    const { state, find, month } = context.query;
    const span = spanOf(month, await now(database.em()));
    const search = { productId: product.id, state, find, span };
    const batches = readSales(() => database.em(), search);
    return csv(`${product.slug}-purchases.csv`, writeSales(batches), context.query);
  },
});

const showSale = defineRoute({
  ...SESSION_PAGE,
  path: `${PURCHASES}/:purchase`,
  summary: 'Show a purchase of a product',
  input: { params: purchaseRef },
  async handler(context) {
    const product = await loadSold(context);
    const sale = await loadSale(context, product);
    return answerSale(context, { product, sale, draft: null });
  },
});

export type SaleCall = ProductCall & { params: { purchase: string | null } };

export async function loadSale(context: SaleCall, { id }: ManagedProduct): Promise<SaleDetail> {
  const { purchase } = context.params;
  const key = { productId: id, purchaseId: purchase ?? '' };
  const sale = purchase === null ? null : await findSale(context.services.database.em(), key);
  if (!sale) throw new HttpError('not_found');
  return sale;
}

type Shown = { product: ManagedProduct; sale: SaleDetail; draft: RefundDraft | null };

/** Answers 422 with a draft that cannot be done as it is. */
export async function answerSale(context: SaleCall, shown: Shown) {
  const url = workflowUrl(context, purchaseWorkflow(shown.sale.purchaseId));
  const blockReason = refundBlockReason(shown.product);
  const key = { productId: shown.product.id, purchaseId: shown.sale.purchaseId };
  const moments = await listSaleMoments(context.services.database.em(), key);
  const view = purchasePage({ ...shown, moments, workflowUrl: url, blockReason });
  return page(context, view, shown.draft === null ? {} : { status: 422 });
}

export const routes = [showPurchases, downloadPurchases, showSale];
