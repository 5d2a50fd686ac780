import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import {
  findSale,
  listSales,
  type SaleDetail,
} from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { cursor, given, mark, matching } from '../../http/fields.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadSold, refundBlockReason, type ProductCall } from '../managed-product.ts';
import { workflowUrl } from '../workflow-url.ts';
import { purchasePage, type RefundDraft } from './purchase.page.ts';
import { purchasesPage } from './purchases.page.ts';

export const PURCHASES = '/console/products/:ref/purchases';

const purchaseId = matching(publicIdPattern('pay_'), 30);

// A malformed id matches no purchase.
export const purchaseRef = productRef.extend({
  purchase: given(30).transform((id) => purchaseId.safeParse(id).data ?? null),
});

const showPurchases = defineRoute({
  ...SESSION_PAGE,
  path: PURCHASES,
  summary: 'List purchases of a product',
  input: {
    params: productRef,
    query: z.object({ before: cursor(purchaseId).catch(null), unfinished: mark }),
  },
  async handler(context) {
    const product = await loadSold(context);
    const { before, unfinished } = context.query;
    const showsUnfinished = unfinished !== undefined;
    const search = { productId: product.id, before, showsUnfinished };
    const found = await listSales(context.services.database.em(), search);
    return page(context, purchasesPage({ product, ...found, before, showsUnfinished }));
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

type SaleState = { product: ManagedProduct; sale: SaleDetail; draft: RefundDraft | null };

/** Answers 422 with a draft that cannot be done as it is. */
export function answerSale(context: SaleCall, shown: SaleState) {
  const url = workflowUrl(context, purchaseWorkflow(shown.sale.purchaseId));
  const blockReason = refundBlockReason(shown.product);
  const view = purchasePage({ ...shown, workflowUrl: url, blockReason });
  return page(context, view, shown.draft === null ? {} : { status: 422 });
}

export const routes = [showPurchases, showSale];
