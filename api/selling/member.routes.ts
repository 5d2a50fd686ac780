import { z } from 'zod';
import { ProcessorFault, UnknownProcessorState } from '../../activities/clients/processor.ts';
import { openWithMember } from '../../domain/entitlements/opening.store.ts';
import type { Visitor } from '../../domain/identity/identity.store.ts';
import { newUuid } from '../../domain/platform/ids.ts';
import { isRefusal } from '../../domain/platform/refusal.ts';
import {
  listMemberPrices,
  type MemberPriceView,
} from '../../domain/selling/memberships/member-price.store.ts';
import { wishForMembership } from '../../domain/selling/memberships/membership-state.store.ts';
import {
  findMembershipOf,
  listIncludedProducts,
  type MembershipView,
} from '../../domain/selling/memberships/membership-view.store.ts';
import { listChargeReceipts } from '../../domain/selling/renewals/charge-receipt.store.ts';
import type { Wish } from '../../domain/selling/renewals/wish.store.ts';
import { page, redirect } from '../answer.ts';
import { findReferred, isHidden, productRef } from '../catalog/product-ref.ts';
import { Failure, FORM_ERRORS } from '../errors.ts';
import { noticeQuery } from '../identity/fields.ts';
import { askToVerify, leaveSignIn, sessionFormToken } from '../identity/sessions.ts';
import { sendToSignIn } from '../middleware/credential.ts';
import { SIGN_IN_POLICY } from '../middleware/security-headers.ts';
import { isSpeculative } from '../middleware/speculative.ts';
import { defineRoute, type AnyCall, type Answer, type Route } from '../route.ts';
import { withNotice, type Notice } from '../views/notices.ts';
import { openMemberSession } from './member-session.ts';
import { receiptBefore } from './receipt-cursor.ts';
import { isAwaited, refreshWhile } from './renewal.page.ts';
import {
  isMemberReason,
  MEMBER,
  memberCancellationPage,
  memberPage,
  subscribePath,
  type MemberReason,
} from './member.page.ts';

const changed = {
  method: 'POST',
  credential: 'session',
  limit: 'settings',
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: [...FORM_ERRORS, 'not_found'],
} as const;

const word = z.string().optional().catch(undefined);

const showMember = defineRoute({
  method: 'GET',
  path: MEMBER,
  summary: 'What Member is, and how mine stands',
  credential: 'visitor',
  limit: null,
  input: { query: noticeQuery.extend({ reason: z.unknown().optional(), before: receiptBefore }) },
  statuses: [200],
  errors: ['unavailable'],
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(call) {
    const { services, visitor, query } = call;
    const em = services.database.em();
    const membership = visitor ? await findMembershipOf(em, visitor.personId) : null;
    const { before = null } = query;
    const receipts = visitor
      ? await listChargeReceipts(em, { of: { memberId: visitor.personId }, before })
      : { receipts: [], next: null };
    const view = memberPage({
      receipts,
      before,
      prices: await listMemberPrices(em),
      included: await listIncludedProducts(em),
      membership,
      reason: isMemberReason(query.reason) ? query.reason : null,
      notice: query.notice,
      token: visitor ? sessionFormToken({ ...call, visitor }) : null,
    });
    // Whoever comes back from the payment waits for it here.
    const isPending = membership !== null && isAwaited(membership, query.notice);
    return page(call, view, { headers: refreshWhile(isPending) });
  },
});

const subscribe = defineRoute({
  method: 'GET',
  path: `${MEMBER}/subscribe`,
  summary: 'Start the hosted checkout of Member',
  credential: 'visitor',
  limit: 'buy',
  input: { query: z.object({ currency: word, interval: word }) },
  statuses: [303, 204],
  errors: ['forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { ctx, services, query, visitor } = call;
    if (isSpeculative(ctx)) return { status: 204 };
    const price = choosePrice(await listMemberPrices(services.database.em()), query);
    if (!price) return explain('currency_not_offered');
    const pending = { returnTo: subscribePath(price), clickId: null };
    if (!visitor) return sendToSignIn(services, pending);
    if (!visitor.isEmailVerified) throw await askToVerify(services, pending, UNVERIFIED);
    const location = await openMemberSession({ services, price, visitor });
    if (isRefusal(location)) return explain(location.refused);
    return leaveSignIn({ services, cookies: call.cookies }, location.url);
  },
});

const showCancellation = defineRoute({
  method: 'GET',
  path: `${MEMBER}/cancel`,
  summary: 'Asks before my membership is cancelled',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler: async (call) =>
    page(call, memberCancellationPage(await load(call), sessionFormToken(call))),
});

const cancel = defineRoute({
  ...changed,
  path: `${MEMBER}/cancel`,
  summary: 'Cancel my membership at the end of what is paid for',
  handler: (call) => ask(call, 'cancel'),
});

const resume = defineRoute({
  ...changed,
  path: `${MEMBER}/resume`,
  summary: 'Resume my membership that is cancelled and has not ended',
  handler: (call) => ask(call, 'resume'),
});

const changeCard = defineRoute({
  ...changed,
  path: `${MEMBER}/card`,
  summary: "Use another card for my membership, at the payment processor's page",
  async handler(call) {
    const { processor, config, logger } = call.services;
    const { processorId, status } = await load(call);
    if (processorId === null || status === 'ended') {
      return redirect(withNotice(MEMBER, 'unchanged'));
    }
    const returnUrl = `${config.baseUrl}${withNotice(MEMBER, 'card_returned')}`;
    try {
      const asked = { subscriptionId: processorId, returnUrl, key: newUuid() };
      return redirect((await processor.openCardUpdate(asked)).url);
    } catch (fault) {
      if (!(fault instanceof ProcessorFault || fault instanceof UnknownProcessorState)) throw fault;
      logger.error({ fault: fault.name, reason: fault.message }, 'card update not opened');
      return redirect(withNotice(MEMBER, 'payouts_unavailable'));
    }
  },
});

const open = defineRoute({
  ...changed,
  path: `${MEMBER}/open/:ref`,
  summary: 'Use an Included product with my membership from now on',
  input: { ...changed.input, params: productRef },
  async handler(call) {
    const { services, params, visitor } = call;
    const product = await findReferred(services, params.ref);
    if (!product || isHidden(product)) throw new Failure('not_found');
    const key = { productId: product.id, personId: visitor.personId };
    const isOpened = await services.database.transaction((em) => openWithMember(em, key));
    const path = `/p/${product.slug}`;
    return redirect(isOpened ? withNotice(path, 'member_opened') : path);
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

const UNVERIFIED =
  'Please verify your e-mail address before you subscribe. Your settings can send the link again.';

/** The first one where nothing is asked for. */
function choosePrice(
  prices: MemberPriceView[],
  { currency, interval }: { currency?: string | undefined; interval?: string | undefined },
): MemberPriceView | undefined {
  return prices.find(
    (price) =>
      (!currency || price.currency === currency.toUpperCase()) &&
      (!interval || price.billingInterval === interval),
  );
}

type MemberCall = AnyCall & { visitor: Visitor };

async function load({ services, visitor }: MemberCall): Promise<MembershipView> {
  const found = await findMembershipOf(services.database.em(), visitor.personId);
  if (!found) throw new Failure('not_found');
  return found;
}

/** The row decides; the membership's actor carries it out, and its page says how far it has come. */
async function ask(call: MemberCall, wish: Wish): Promise<Answer> {
  const { membershipId } = await load(call);
  const asked = await call.services.database.transaction((em) =>
    wishForMembership(em, { membershipId, wish }),
  );
  return redirect(withNotice(MEMBER, isRefusal(asked) ? 'unchanged' : NOTICE_OF[wish]));
}

const NOTICE_OF = {
  cancel: 'member_cancelled',
  resume: 'member_resumed',
} as const satisfies Record<Wish, Notice>;

function explain(reason: MemberReason): Answer {
  return redirect(`${MEMBER}?reason=${reason}`);
}
