import { z } from 'zod';
import { openAddress } from '../../../domain/catalog/product-address.ts';
import { hasAccess } from '../../../domain/entitlements/library.repository.ts';
import { activateProduct } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { listIncludedProducts } from '../../../domain/catalog/storefront-list.repository.ts';
import { listMemberPrices } from '../../../domain/billing/memberships/member-price.repository.ts';
import { findMembershipOf } from '../../../domain/billing/memberships/membership-view.repository.ts';
import { listChargeReceipts } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { findProduct } from '../../../domain/catalog/storefront-product.query.ts';
import { isHidden } from '../../../domain/catalog/product-reference.ts';
import { productRef, storePlace } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { mark, NO_FIELDS } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { defineRoute, SESSION_FORM, OPEN_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { receiptBefore, renewalRoutes } from './renewal-changes.routes.ts';
import { isAwaited } from './renewal.page.ts';
import { isMemberReason, MEMBER, memberPage } from './member.page.ts';

const showMember = defineRoute({
  ...OPEN_PAGE,
  path: MEMBER,
  summary: 'Show Member',
  input: {
    query: z.object({
      reason: mark,
      returned: mark,
      before: receiptBefore,
      after: storePlace,
      since: waitingSinceField,
    }),
  },
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { services, currentUser, query } = context;
    const em = services.database.em();
    const membership = currentUser ? await findMembershipOf(em, currentUser.personId) : null;
    const { before, after } = query;
    const receipts = currentUser
      ? await listChargeReceipts(em, { of: { memberId: currentUser.personId }, before })
      : { receipts: [], next: null };
    const view = memberPage({
      receipts,
      before,
      prices: await listMemberPrices(em),
      included: await listIncludedProducts(em, after),
      after,
      membership,
      reason: isMemberReason(query.reason) ? query.reason : null,
      token: currentUser ? sessionFormToken({ ...context, currentUser }) : null,
    });
    // The page after payment waits here until the payment is recorded.
    const isPending = membership !== null && isAwaited(membership, query.returned);
    const headers = isPending ? refreshWhileWaiting(context.ctx, query.since) : {};
    return page(context, view, { headers });
  },
});

const renewal = renewalRoutes({
  what: 'membership',
  path: MEMBER,
  params: z.object({}),
  async load({ services, currentUser }) {
    const found = await findMembershipOf(services.database.em(), currentUser.personId);
    if (!found) throw new HttpError('not_found');
    const of = { membershipId: found.membershipId };
    return { ...found, of, path: MEMBER, name: 'Member', kept: 'every included product' };
  },
  done: { cancel: 'member_cancelled', resume: 'member_resumed' },
});

const open = defineRoute({
  ...SESSION_FORM,
  path: `${MEMBER}/open/:ref`,
  summary: 'Open an included product',
  proof: 'none',
  input: { params: productRef, body: NO_FIELDS },
  async handler(context) {
    const { services, params, currentUser } = context;
    const product = await findProduct(services.database.pool, params.ref);
    if (!product || isHidden(product)) throw new HttpError('not_found');
    const key = { productId: product.id, personId: currentUser.personId };
    const isActivated = await services.database.transaction((em) => activateProduct(em, key));
    const path = `/p/${product.slug}`;
    const mayOpen = isActivated || (await hasAccess(services.database.em(), key));
    const openUrl = mayOpen ? openAddress(product) : null;
    return redirect(openUrl ?? (isActivated ? withNotice(path, 'member_opened') : path));
  },
});

export const routes = [showMember, ...renewal, open];
