import { z } from 'zod';
import { openAddress } from '../../../domain/catalog/product-address.ts';
import { hasAccess } from '../../../domain/entitlements/library.repository.ts';
import { activateProduct } from '../../../domain/entitlements/memberships/activation.repository.ts';
import { listStoreProducts } from '../../../domain/catalog/listing/storefront-list.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { listMemberPrices } from '../../../domain/billing/memberships/member-price.repository.ts';
import {
  findMembershipOf,
  type MembershipView,
} from '../../../domain/billing/memberships/membership-view.repository.ts';
import { listChargeReceipts } from '../../../domain/billing/subscriptions/charge-receipt.repository.ts';
import type { RequestedChange } from '../../../domain/billing/subscriptions/change-request.repository.ts';
import { page, redirect } from '../../response.ts';
import { findReferred, isHidden, productRef, storePlace } from '../../storefront/product-ref.ts';
import { HttpError } from '../../errors.ts';
import { mark } from '../fields.ts';
import { sessionFormToken } from '../sessions.ts';
import { SIGN_IN_POLICY } from '../../middleware/security-headers.ts';
import {
  defineRoute,
  type RouteContext,
  type HttpResponse,
  type Route,
  SESSION_FORM,
  SESSION_PAGE,
} from '../../route.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { cancellationPage } from './cancellation.page.ts';
import { subscribe } from './member-checkout.routes.ts';
import { lookAgain, sinceField } from '../purchases/look-again.ts';
import { receiptBefore } from '../purchases/receipt-cursor.ts';
import { askFor, sendToCardUpdate } from './subscription-actions.ts';
import { isAwaited } from './renewal.page.ts';
import { isMemberReason, MEMBER, memberPage } from './member.page.ts';

const changed = {
  ...SESSION_FORM,
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
} as const;

const showMember = defineRoute({
  method: 'GET',
  path: MEMBER,
  summary: 'Show Member',
  credential: 'optional_session',
  limit: null,
  input: {
    query: z.object({
      reason: mark,
      returned: mark,
      before: receiptBefore,
      after: storePlace,
      since: sinceField,
    }),
  },
  statuses: [200],
  errors: ['unavailable'],
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { services, currentUser, query } = context;
    const em = services.database.em();
    const membership = currentUser ? await findMembershipOf(em, currentUser.personId) : null;
    const { before = null, after } = query;
    const receipts = currentUser
      ? await listChargeReceipts(em, { of: { memberId: currentUser.personId }, before })
      : { receipts: [], next: null };
    const view = memberPage({
      receipts,
      before,
      prices: await listMemberPrices(em),
      included: await listStoreProducts(em, { isIncluded: true, after }),
      after,
      membership,
      reason: isMemberReason(query.reason) ? query.reason : null,
      token: currentUser ? sessionFormToken({ ...context, currentUser }) : null,
    });
    // The page after payment waits here until the payment is recorded.
    const isPending = membership !== null && isAwaited(membership, query.returned);
    const headers = isPending ? lookAgain(context.ctx, query.since) : {};
    return page(context, view, { headers });
  },
});

const showCancellation = defineRoute({
  ...SESSION_PAGE,
  path: `${MEMBER}/cancel`,
  summary: 'Ask before a membership is cancelled',
  input: {},
  async handler(context) {
    const view = cancellationPage({
      shown: await load(context),
      name: 'Member',
      kept: 'every included product',
      path: MEMBER,
      button: 'Cancel membership',
      token: sessionFormToken(context),
    });
    return page(context, view);
  },
});

const cancel = defineRoute({
  ...changed,
  path: `${MEMBER}/cancel`,
  summary: 'Cancel a membership',
  handler: (context) => ask(context, 'cancel'),
});

const resume = defineRoute({
  ...changed,
  path: `${MEMBER}/resume`,
  summary: 'Resume a membership',
  handler: (context) => ask(context, 'resume'),
});

const changeCard = defineRoute({
  ...changed,
  path: `${MEMBER}/card`,
  summary: 'Update the card of a membership',
  handler: async (context) => sendToCardUpdate(context, { ...(await load(context)), path: MEMBER }),
});

const open = defineRoute({
  ...changed,
  path: `${MEMBER}/open/:ref`,
  summary: 'Open an included product',
  input: { ...changed.input, params: productRef },
  async handler(context) {
    const { services, params, currentUser } = context;
    const product = await findReferred(services, params.ref);
    if (!product || isHidden(product)) throw new HttpError('not_found');
    const key = { productId: product.id, personId: currentUser.personId };
    const isActivated = await services.database.transaction((em) => activateProduct(em, key));
    const path = `/p/${product.slug}`;
    const mayOpen = isActivated || (await hasAccess(services.database.em(), key));
    const openUrl = mayOpen ? openAddress(product) : null;
    return redirect(openUrl ?? (isActivated ? withNotice(path, 'member_opened') : path));
  },
});

export const member: Route[] = [
  showMember,
  subscribe,
  showCancellation,
  cancel,
  resume,
  changeCard,
  open,
];

type MemberCall = RouteContext & { currentUser: CurrentUser };

async function load({ services, currentUser }: MemberCall): Promise<MembershipView> {
  const found = await findMembershipOf(services.database.em(), currentUser.personId);
  if (!found) throw new HttpError('not_found');
  return found;
}

async function ask(context: MemberCall, change: RequestedChange): Promise<HttpResponse> {
  const { membershipId } = await load(context);
  return askFor(context, { membershipId, change, path: MEMBER, done: NOTICE_OF[change] });
}

const NOTICE_OF = {
  cancel: 'member_cancelled',
  resume: 'member_resumed',
} as const satisfies Record<RequestedChange, Notice>;
