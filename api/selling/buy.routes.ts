import { isRefusal, refuse } from '../../domain/platform/refusal.ts';
import { listPrices } from '../../domain/catalog/catalog.store.ts';
import { decideAttribution } from '../../domain/selling/attribution.ts';
import { decidePrice, decideSale, type BuyReason } from '../../domain/selling/buyable.ts';
import { isOwned, recordClick } from '../../domain/selling/checkout.store.ts';
import { redirect } from '../answer.ts';
import { findReferred, isHidden, productRef } from '../catalog/product-ref.ts';
import { Failure } from '../errors.ts';
import { leaveSignIn, requireVerifiedEmail } from '../identity/sessions.ts';
import { sendToSignIn } from '../middleware/credential.ts';
import { isSpeculative } from '../middleware/speculative.ts';
import { defineRoute, type AnyCall } from '../route.ts';
import {
  askedCurrency,
  askedSource,
  buyQuery,
  resumedClick,
  returnPath,
  saleFacts,
} from './buy-request.ts';
import { openSession, type Deal } from './checkout-session.ts';

const UNVERIFIED =
  'Please verify your e-mail address before you buy. Your settings can send the link again.';

export const buy = defineRoute({
  method: 'GET',
  path: '/buy/:ref',
  summary: 'Start the hosted checkout of a product',
  credential: 'visitor',
  limit: 'buy',
  input: { params: productRef, query: buyQuery },
  statuses: [303, 204],
  errors: ['not_found', 'forbidden', 'rate_limited', 'unavailable'],
  documentation: {
    tag: 'Selling',
    description:
      'For the browser of a buyer, who signs in on the way if needed. Leads to the hosted checkout, or to the product page with the reason why not (`?reason=`). Errors are pages. HEAD and prefetch requests are answered 204.',
  },
  async handler(call) {
    const { ctx, services, params, query, visitor } = call;
    if (isSpeculative(ctx)) return { status: 204 };
    const product = await findReferred(services, params.ref);
    if (!product || isHidden(product)) throw new Failure('not_found');
    const em = services.database.em();
    const attribution = decideAttribution(askedSource(query));
    const returnTo = returnPath(product.slug, query);
    const clickId =
      resumedClick(services.signer, { resume: query.resume, returnTo }) ??
      (await recordClick(em, { productId: product.id, attribution }));
    const prices = await listPrices(em, product.id);
    const obstacle = decideSale(saleFacts(product, prices));
    if (obstacle) return explain(product.slug, obstacle);
    const price = decidePrice(prices, askedCurrency(query));
    if (isRefusal(price)) return explain(product.slug, price.refused);
    if (!visitor) return sendToSignIn(services, { returnTo, clickId });
    return checkOut({ services, product, price, attribution, visitor }, call.cookies);
  },
});

async function checkOut(deal: Deal, cookies: AnyCall['cookies']) {
  const { services, product, visitor } = deal;
  requireVerifiedEmail(visitor, UNVERIFIED);
  const em = services.database.em();
  const key = { personId: visitor.personId, productId: product.id };
  const location = (await isOwned(em, key)) ? refuse('already_owned') : await openSession(deal);
  const isUnavailable = isRefusal(location) && location.refused === 'processor_unavailable';
  const target = isRefusal(location) ? reasonPath(product.slug, location.refused) : location.url;
  return isUnavailable ? redirect(target) : leaveSignIn({ services, cookies }, target);
}

function explain(slug: string, reason: BuyReason) {
  return redirect(reasonPath(slug, reason));
}

function reasonPath(slug: string, reason: BuyReason): string {
  return `/p/${slug}?reason=${reason}`;
}
