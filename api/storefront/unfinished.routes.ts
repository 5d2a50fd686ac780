// A checkout that was left behind: its buyer finishes it, or discards it.
import { z } from 'zod';
import {
  findLeftCheckout,
  type LeftCheckout,
} from '../../domain/billing/checkout/record-checkout.repository.ts';
import { decideSale } from '../../domain/billing/checkout/sale-requirements.ts';
import { isOwned } from '../../domain/billing/purchases/purchase.repository.ts';
import { findOffering } from '../../domain/catalog/storefront-product.query.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { publicIdPattern } from '../../domain/shared/ids.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { HttpError } from '../http/errors.ts';
import { withNotice } from '../html/notices.ts';
import { redirect } from '../http/response.ts';
import { defineRoute, SESSION_FORM, type RouteContext, SESSION_PAGE } from '../http/route.ts';
import { continueSession, discardSession } from './checkout-session.ts';
import { pricesOfOffer, saleFacts } from './buy-request.ts';
import { isPrefetch } from '../http/prefetch.ts';
import { given, NO_FIELDS } from '../http/fields.ts';
import { MY_PURCHASES } from '../account/purchases/my-purchases-path.ts';

const PURCHASE_ID = publicIdPattern('pay_');
const params = z.object({ id: given(30) });

const continueCheckout = defineRoute({
  ...SESSION_PAGE,
  path: '/purchases/:id/continue',
  summary: 'Continue a checkout',
  limit: 'buy',
  input: { params },
  async handler(context) {
    const { ctx, services, currentUser } = context;
    if (isPrefetch(ctx)) return { status: 204 };
    const left = await findLeft(context);
    if (!left) return redirect(`/purchases/${context.params.id}`);
    const { open, price, productId } = left;
    const offering = await findOffering(services.database.pool, productId);
    if (!offering) throw new HttpError('not_found');
    const { product } = offering;
    const path = `/p/${product.slug}`;
    const prices = pricesOfOffer(offering.prices, { offer: price.offerId });
    // Without a session nothing was promised yet.
    const blockReason = open.sessionId === null ? decideSale(saleFacts(product, prices)) : null;
    if (blockReason !== null) return redirect(`${path}?reason=${blockReason}`);
    const key = { personId: currentUser.personId, productId };
    if (await isOwned(services.database.em(), key)) return redirect(`${path}?reason=already_owned`);
    const location = await continueSession({ services, product, price, currentUser }, open);
    if (location === null) return redirect(withNotice(path, 'checkout_over'));
    return redirect(isRefusal(location) ? `${path}?reason=${location.refused}` : location.url);
  },
});

const discardCheckout = defineRoute({
  ...SESSION_FORM,
  path: '/purchases/:id/discard',
  summary: 'Discard a checkout',
  proof: 'none',
  input: { params, body: NO_FIELDS },
  async handler(context) {
    const path = `/purchases/${context.params.id}`;
    const left = await findLeft(context);
    if (!left) return redirect(path);
    const discarded = await discardSession(context.services, left.open);
    if (isRefusal(discarded)) return redirect(withNotice(MY_PURCHASES, 'processor_away'));
    // Paid at the last moment, or just opened again in another tab.
    if (!discarded.isDiscarded) return redirect(`${path}?returned=yes`);
    return redirect(withNotice(MY_PURCHASES, 'checkout_discarded'));
  },
});

type Call = RouteContext & { params: { id: string }; currentUser: CurrentUser };

/**
 * Returns null when the purchase has no open checkout any more; the purchase's page shows its
 * status.
 */
async function findLeft({ services, params: { id }, currentUser }: Call) {
  if (!PURCHASE_ID.test(id)) throw new HttpError('not_found');
  const key = { personId: currentUser.personId, purchaseId: id };
  const left: LeftCheckout | null = await findLeftCheckout(services.database.em(), key);
  return left;
}

export const routes = [continueCheckout, discardCheckout];
