import { decideReturnTo, registeredOrigins } from '../../domain/catalog/product-address.ts';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import { listProductRedirectUris } from '../../domain/oauth/clients/oauth-client.repository.ts';
import { isRefusal, refuse } from '../../domain/shared/refusal.ts';
import { decideAttribution } from '../../domain/billing/checkout/attribution.ts';
import { decideSale, type BuyReason } from '../../domain/billing/checkout/sale-requirements.ts';
import { decidePrice } from '../../domain/billing/checkout/price-in-currency.ts';
import { recordClick } from '../../domain/billing/checkout/click.query.ts';
import { isOwned } from '../../domain/billing/purchases/purchase.repository.ts';
import { redirect } from '../http/response.ts';
import { productRef } from '../http/params.ts';
import { isReference } from '../../domain/catalog/product-reference.ts';
import { HttpError } from '../http/errors.ts';
import { leaveSignIn, sendToConfirm } from '../account/start-session.ts';
import { sendToSignIn, resumedClick } from '../account/return-to.ts';
import { isLinkPreview, isPrefetch } from '../http/prefetch.ts';
import { defineRoute, type RouteContext, OPEN_PAGE } from '../http/route.ts';
import type { Services } from '../services.ts';
import {
  askedCurrency,
  askedReturnTo,
  askedSource,
  buyQuery,
  pricesOfOffer,
  returnPath,
  saleFacts,
  type BuyQuery,
} from './buy-request.ts';
import { openSession, type Deal } from './checkout-session.ts';

const buy = defineRoute({
  ...OPEN_PAGE,
  path: '/buy/:ref',
  mayEndInSlash: true,
  summary: 'Start the hosted checkout',
  limit: 'buy',
  input: { params: productRef, query: buyQuery },
  documentation: {
    statuses: [303, 204],
    errors: ['not_found', 'rate_limited', 'unavailable', 'internal_error'],
    operationId: 'startCheckout',
    tag: 'Selling',
    description:
      "Open this address in the buyer's browser. The buyer signs in and confirms the email address if needed, and goes to the hosted checkout, or to the product page with the reason why the product cannot be bought (`?reason=`). After a finished purchase the thank-you page leads back to `return_to`. Programs that preview links are sent to the product page. Errors are pages. HEAD and prefetch requests get 204.",
  },
  async handler(context) {
    const { ctx, services, params, query, currentUser } = context;
    if (isPrefetch(ctx)) return { status: 204 };
    const isAutomatic = isLinkPreview(ctx);
    const link = await readLink(services, { ref: params.ref, query, isAutomatic });
    if (!link) throw new HttpError('not_found');
    const { product, attribution, clickId } = link;
    if (isAutomatic) return redirect(`/p/${product.slug}`);
    const prices = pricesOfOffer(link.prices, query);
    const blockReason = decideSale(saleFacts(product, prices));
    if (blockReason) return explain(product.slug, blockReason);
    const price = decidePrice(prices, askedCurrency(query));
    if (isRefusal(price)) return explain(product.slug, price.refused);
    const pending = { returnTo: returnPath(product.slug, query), clickId };
    if (!currentUser) return sendToSignIn(context, pending);
    if (!currentUser.isEmailVerified) return sendToConfirm(context, pending);
    const returnTo = await readReturnTo(services, { product, query });
    const deal = { services, product, price, attribution, returnTo, currentUser };
    return checkOut(deal, context.cookies);
  },
});

/** Records the click first; the same statement reads its product. */
async function readLink(
  services: Services,
  { ref, query, isAutomatic }: { ref: string; query: BuyQuery; isAutomatic: boolean },
) {
  if (!isReference(ref)) return null;
  const attribution = decideAttribution(askedSource(query));
  const asked = { resume: query.resume, returnTo: returnPath(ref, query) };
  const resumedId = resumedClick(services.signer, asked);
  const click = { ref, attribution, resumedId, isAutomatic };
  const found = await recordClick(services.database.pool, click);
  if (!found) return null;
  // The click has all of what was sent; the way through sign-in may have shortened it.
  const { resumedRaw } = found;
  return {
    ...found,
    attribution: resumedRaw === null ? attribution : decideAttribution(resumedRaw),
  };
}

/** Returns null unless the address is within the registered origins of the product. */
async function readReturnTo(
  { database }: Services,
  { product, query }: { product: ProductView; query: BuyQuery },
): Promise<string | null> {
  const asked = askedReturnTo(query);
  if (asked === null) return null;
  const redirectUris = await listProductRedirectUris(database.em(), product.id);
  return decideReturnTo(asked, registeredOrigins(product, redirectUris));
}

async function checkOut(deal: Deal, cookies: RouteContext['cookies']) {
  const { services, product, currentUser } = deal;
  const em = services.database.em();
  const key = { personId: currentUser.personId, productId: product.id };
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

export const routes = [buy];
