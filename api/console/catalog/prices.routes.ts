import { z } from 'zod';
import type { ManagedProduct, OfferKind } from '../../../domain/catalog/product.repository.ts';
import { listEnabledCurrencies } from '../../../domain/catalog/prices/currency.repository.ts';
import { listPriceVersions } from '../../../domain/catalog/prices/price-list.repository.ts';
import {
  makeBasePrice,
  setPrice,
  withdrawPrice,
} from '../../../domain/catalog/prices/price.command.ts';
import { readPlatformFee } from '../../../domain/billing/platform-fee.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { matching, whole, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { validatePrice, NOT_ENABLED } from './typed-price.ts';
import { productPath } from '../console-frame.ts';
import {
  isResponse,
  loadChangeable,
  loadManaged,
  managerOf,
  passRights,
  priceBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import type { PriceDraft } from './price-editor.ts';
import { pricesPage } from './prices.page.ts';

const CHANGING = { blockReasonOf: priceBlockReason, show };

type PageState = {
  problem?: string;
  draft?: PriceDraft;
  edited?: { kind: OfferKind; currency: string | null };
};

const PATH = '/console/products/:ref/prices';
/** The kind of the offer, by default the single payment. */
const kind = z.enum(['one_time', 'monthly', 'yearly']).default('one_time');

const showPrices = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show prices',
  // Another value counts as absent.
  input: {
    params: productRef,
    query: z.object({
      kind: kind.catch('one_time'),
      currency: matching(/^[A-Z]{3}$/, 3)
        .nullable()
        .default(null)
        .catch(null),
    }),
  },
  handler: async (context) => show(context, await loadManaged(context), { edited: context.query }),
});

const savePrice = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Set a price',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ currency: whole(8), amount: whole(24), kind }) },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isResponse(product)) return product;
    const { kind, amount } = context.body;
    const typed = { kind, currency: context.body.currency.trim().toUpperCase(), amount };
    const validated = validatePrice(typed);
    if ('problems' in validated) return show(context, product, { draft: { typed, ...validated } });
    const input = { productId: product.id, kind, ...validated, by: managerOf(context) };
    const saved = await setPrice(context.services.database.em(), input);
    if (!isRefusal(saved)) return redirect(withNotice(pathOf(product), 'price_set'));
    const refused = passRights(saved.refused, 'price');
    if (refused !== 'not_enabled') return refuseChange(context, product, refused);
    return show(context, product, { draft: { typed, problems: { currency: NOT_ENABLED } } });
  },
});

const changePrice = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/:currency`,
  summary: 'Make a price the base price, or remove it',
  proof: 'fresh',
  input: {
    params: productRef.extend({
      currency: matching(/^[a-z]{3}$/i, 3).toUpperCase(),
    }),
    body: formBody({ action: z.enum(['base', 'withdraw']), kind }),
  },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isResponse(product)) return product;
    const { action, kind } = context.body;
    const { currency } = context.params;
    const input = { productId: product.id, kind, currency, by: managerOf(context) };
    const change = action === 'base' ? makeBasePrice : withdrawPrice;
    const changed = await change(context.services.database.em(), input);
    if (isRefusal(changed)) {
      return refuseChange(context, product, passRights(changed.refused, 'price'));
    }
    const notice = action === 'base' ? 'price_set' : 'price_withdrawn';
    return redirect(withNotice(pathOf(product), notice));
  },
});

const REFUSALS = {
  not_sold_here: 'This product is sold elsewhere, so it has no prices here.',
  not_enabled: NOT_ENABLED,
  no_price: 'This price no longer exists.',
  base_needed: 'This is the base price. Make another price the base price first.',
  listed: 'A listed product needs a base price. Unlist the product first, or set another amount.',
};

type ChangeRefusal = keyof typeof REFUSALS | 'removed';

function refuseChange(context: ProductCall, product: ManagedProduct, refused: ChangeRefusal) {
  if (refused === 'removed') throw new HttpError('not_found');
  return show(context, product, { problem: REFUSALS[refused] });
}

async function show(context: ProductCall, product: ManagedProduct, state: PageState = {}) {
  const { problem = null, draft = null } = state;
  const { edited = { kind: 'one_time', currency: null } } = state;
  const em = context.services.database.em();
  const view = pricesPage({
    product,
    ...(await listPriceVersions(em, product.id)),
    currencies: await listEnabledCurrencies(em),
    feeBasisPoints: await readPlatformFee(em),
    blockReason: priceBlockReason(product),
    edited,
    problem,
    draft,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft !== null;
  return page(context, view, isRefused ? { status: 422 } : {});
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/prices`;
}

export const routes = [showPrices, savePrice, changePrice];
