import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import type { OfferKind, ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { listEnabledCurrencies } from '../../../domain/catalog/prices/currency.repository.ts';
import { listPriceVersions } from '../../../domain/catalog/prices/price-list.repository.ts';
import {
  makeBase,
  setPrice,
  withdrawPrice,
} from '../../../domain/catalog/prices/price.repository.ts';
import { readPlatformFee } from '../../../domain/billing/platform-fee.repository.ts';
import { isRefusal, type Refusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { matching, whole } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { validatePrice, NOT_ENABLED } from './typed-price.ts';
import { productPath } from '../console-frame.ts';
import {
  auditEntryOn,
  holdAllowed,
  isAnswer,
  loadChangeable,
  loadManaged,
  priceBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import { EMPTY_PRICE, pricesPage, type PriceDraft } from './prices.page.ts';

const CHANGING = { blockReasonOf: priceBlockReason, show };

type Said = { problem?: string; draft?: PriceDraft };

const PATH = '/console/products/:ref/prices';
/** Means the single payment when it is left out. */
const kind = z.enum(['one_time', 'monthly', 'yearly']).default('one_time');

const showPrices = defineRoute({
  ...SESSION_FORM,
  method: 'GET',
  limit: null,
  path: PATH,
  summary: 'Show prices',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler: async (context) => show(context, await loadManaged(context)),
});

const savePrice = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Set a price',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: z.object({ currency: whole(8), amount: whole(24), kind }) },
  },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isAnswer(product)) return product;
    const { kind: asked, amount } = context.body;
    const typed = { kind: asked, currency: context.body.currency.trim().toUpperCase(), amount };
    const validated = validatePrice(typed);
    if ('problems' in validated)
      return show(context, product, { draft: { ...typed, ...validated } });
    const key = { productId: product.id, kind: asked, ...validated };
    const saved = await context.services.database.transaction(async (em) => {
      await holdAllowed(em, context, { product, action: 'price' });
      const set = await setPrice(em, key);
      if (isRefusal(set) || !set.isNew) return set;
      const detail = {
        amount_minor: validated.amountMinor,
        before_minor: set.before,
        ...naming(asked),
      };
      const what = { action: 'price.set', subject: validated.currency, detail } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return set;
    });
    if (!isRefusal(saved)) return redirect(withNotice(pathOf(product), 'price_set'));
    if (saved.refused !== 'not_enabled') return refuseChange(context, product, saved.refused);
    return show(context, product, { draft: { ...typed, problems: { currency: NOT_ENABLED } } });
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
    body: { kind: 'form', shape: z.object({ action: z.enum(['base', 'withdraw']), kind }) },
  },
  async handler(context) {
    const product = await loadChangeable(context, CHANGING);
    if (isAnswer(product)) return product;
    const { currency } = context.params;
    const { kind: asked } = context.body;
    const key = { productId: product.id, kind: asked, currency };
    const isBase = context.body.action === 'base';
    const changed = await context.services.database.transaction(async (em) => {
      await holdAllowed(em, context, { product, action: 'price' });
      const done: { isNew?: boolean } | Refusal<ChangeRefusal> = isBase
        ? await makeBase(em, key)
        : await withdrawPrice(em, key);
      if (isRefusal(done) || done.isNew === false) return done;
      const action = isBase ? 'price.made_base' : 'price.withdrawn';
      await recordAudit(em, {
        ...auditEntryOn(context, product),
        action,
        subject: currency,
        detail: naming(asked),
      });
      return done;
    });
    if (isRefusal(changed)) return refuseChange(context, product, changed.refused);
    return redirect(withNotice(pathOf(product), isBase ? 'price_set' : 'price_withdrawn'));
  },
});

/** Names the offer in the trail, where it was not the single payment. */
function naming(asked: OfferKind) {
  return asked === 'one_time' ? {} : { offer: asked };
}

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

async function show(
  context: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<HttpResponse> {
  const { problem = null, draft = EMPTY_PRICE } = said;
  const em = context.services.database.em();
  const view = pricesPage({
    product,
    ...(await listPriceVersions(em, product.id)),
    currencies: await listEnabledCurrencies(em),
    feeBasisPoints: await readPlatformFee(em),
    blockReason: priceBlockReason(product),
    problem,
    draft,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft !== EMPTY_PRICE;
  return page(context, view, isRefused ? { status: 422 } : {});
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/prices`;
}

export const routes = [showPrices, savePrice, changePrice];
