import { z } from 'zod';
import {
  decideReturnTo,
  openAddress,
  registeredOrigins,
  withPurchase,
} from '../../../domain/catalog/product-address.ts';
import { hasAccess } from '../../../domain/entitlements/library.repository.ts';
import { listProductRedirectUris } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import {
  findPurchaseOf,
  listPurchasesOf,
  type PurchaseView,
} from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import { findMembershipOf } from '../../../domain/billing/memberships/membership-view.repository.ts';
import {
  listRunningOf,
  listSubscriptionsAmong,
} from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { page } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';
import { myPurchasesPage } from './my-purchases.page.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { purchasePage } from './purchase.page.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { cursor, given, mark, matching } from '../../http/fields.ts';

const PURCHASE_ID = publicIdPattern('pay_');

const showPurchase = defineRoute({
  ...SESSION_PAGE,
  path: '/purchases/:id',
  summary: 'Show a purchase',
  input: {
    params: z.object({ id: given(30) }),
    query: z.object({ returned: mark, cancelled: mark, since: waitingSinceField }),
  },
  async handler(context) {
    const { services, query } = context;
    const { id } = context.params;
    const { personId } = context.currentUser;
    const em = services.database.em();
    const purchase = PURCHASE_ID.test(id)
      ? await findPurchaseOf(em, { personId, purchaseId: id })
      : null;
    if (!purchase) throw new HttpError('not_found');
    const among = { personId, purchaseIds: [id] };
    const [subscription = null] = await listSubscriptionsAmong(em, among);
    const isWaiting = isAwaited(purchase, query);
    const headers = isWaiting ? refreshWhileWaiting(context.ctx, query.since) : {};
    const looking = 'refresh' in headers ? ('looking' as const) : ('stopped' as const);
    const view = purchasePage({
      purchase,
      subscription,
      waiting: isWaiting ? looking : null,
      isCancelled: query.cancelled !== undefined,
      hasAccess: await hasAccess(em, { personId, productId: purchase.productId }),
      openUrl: openAddress(purchase),
      returnUrl: await findReturnUrl(em, purchase),
      email: context.currentUser.email,
      now: new Date(),
      token: sessionFormToken(context),
    });
    return page(context, view, { headers });
  },
});

/**
 * True after the checkout, when the processor has more to say; a checkout that was left behind says
 * nothing.
 */
function isAwaited(
  { status, isUnfinished }: PurchaseView,
  { returned, since }: { returned?: string | undefined; since?: number | undefined },
): boolean {
  if (status === 'clearing') return true;
  return isUnfinished && (returned !== undefined || since !== undefined);
}

/** An origin may have been given up since the link was followed. */
async function findReturnUrl(em: EntityManager, purchase: PurchaseView): Promise<string | null> {
  const { purchaseId, productId, returnTo } = purchase;
  if (returnTo === null) return null;
  const origins = registeredOrigins(purchase, await listProductRedirectUris(em, productId));
  const allowed = decideReturnTo(returnTo, origins);
  return allowed && withPurchase(allowed, purchaseId);
}

const showMyPurchases = defineRoute({
  ...SESSION_PAGE,
  path: MY_PURCHASES,
  summary: 'List purchases',
  input: { query: z.object({ before: cursor(matching(PURCHASE_ID, 30)).catch(null) }) },
  async handler(context) {
    const em = context.services.database.em();
    const { personId } = context.currentUser;
    const { before } = context.query;
    const running = before === null ? await listRunningOf(em, personId) : [];
    const paid = before === null ? await findMembershipOf(em, personId) : null;
    const membership = paid?.status === 'incomplete' ? null : paid;
    const found = await listPurchasesOf(em, { personId, before });
    const token = sessionFormToken(context);
    return page(context, myPurchasesPage({ running, membership, found, before, token }));
  },
});

export const routes = [showMyPurchases, showPurchase];
