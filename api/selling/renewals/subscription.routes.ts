import { z } from 'zod';
import { ProcessorFault, UnknownProcessorState } from '../../../activities/clients/processor.ts';
import { newUuid, publicIdPattern } from '../../../domain/platform/ids.ts';
import { isRefusal } from '../../../domain/platform/refusal.ts';
import { listChargeReceipts } from '../../../domain/selling/renewals/charge-receipt.store.ts';
import {
  findSubscriptionOf,
  type SubscriptionView,
} from '../../../domain/selling/subscriptions/subscription-view.store.ts';
import { wishFor, type Wish } from '../../../domain/selling/renewals/wish.store.ts';
import type { Visitor } from '../../../domain/identity/identity.store.ts';
import { page, redirect } from '../../answer.ts';
import { Failure, FORM_ERRORS } from '../../errors.ts';
import { noticeQuery } from '../../identity/fields.ts';
import { sessionFormToken } from '../../identity/sessions.ts';
import { SIGN_IN_POLICY } from '../../middleware/security-headers.ts';
import { defineRoute, type AnyCall, type Answer, type Route } from '../../route.ts';
import { withNotice, type Notice } from '../../views/notices.ts';
import { receiptBefore } from '../receipts/receipt-cursor.ts';
import { isAwaited, refreshWhile, subscriptionPath } from './renewal.page.ts';
import { cancellationPage, subscriptionPage } from './subscription.page.ts';

const SUBSCRIPTION_ID = publicIdPattern('sub_');
const PATH = '/subscriptions/:id';
const params = z.object({ id: z.string() });

const shown = {
  method: 'GET',
  credential: 'session',
  limit: null,
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
} as const;

const changed = {
  method: 'POST',
  credential: 'session',
  limit: 'settings',
  input: { params, body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: [...FORM_ERRORS, 'not_found'],
} as const;

const showSubscription = defineRoute({
  ...shown,
  path: PATH,
  summary: 'How a subscription of mine stands',
  input: { params, query: noticeQuery.extend({ before: receiptBefore }) },
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(call) {
    const subscription = await load(call);
    const token = sessionFormToken(call);
    const { notice, before = null } = call.query;
    const of = { subscriptionId: subscription.subscriptionId };
    const receipts = await listChargeReceipts(call.services.database.em(), { of, before });
    const view = subscriptionPage({ subscription, receipts, before, token, notice });
    const headers = refreshWhile(isAwaited(subscription, notice));
    return page(call, view, { headers });
  },
});

const showCancellation = defineRoute({
  ...shown,
  path: `${PATH}/cancel`,
  summary: 'Asks before a subscription of mine is cancelled',
  input: { params },
  handler: async (call) => page(call, cancellationPage(await load(call), sessionFormToken(call))),
});

const cancelSubscription = defineRoute({
  ...changed,
  path: `${PATH}/cancel`,
  summary: 'Cancel a subscription of mine at the end of what is paid for',
  handler: (call) => ask(call, 'cancel'),
});

const resumeSubscription = defineRoute({
  ...changed,
  path: `${PATH}/resume`,
  summary: 'Resume a subscription of mine that is cancelled and has not ended',
  handler: (call) => ask(call, 'resume'),
});

const changeCard = defineRoute({
  ...changed,
  path: `${PATH}/card`,
  summary: "Use another card for a subscription of mine, at the payment processor's page",
  async handler(call) {
    const { processor, config, logger } = call.services;
    const subscription = await load(call);
    const { processorId, status } = subscription;
    if (processorId === null || status === 'ended') return back(subscription, 'unchanged');
    const path = withNotice(subscriptionPath(subscription), 'card_returned');
    const returnUrl = `${config.baseUrl}${path}`;
    try {
      const asked = { subscriptionId: processorId, returnUrl, key: newUuid() };
      return redirect((await processor.openCardUpdate(asked)).url);
    } catch (fault) {
      if (!(fault instanceof ProcessorFault || fault instanceof UnknownProcessorState)) throw fault;
      logger.error({ fault: fault.name, reason: fault.message }, 'card update not opened');
      return back(subscription, 'payouts_unavailable');
    }
  },
});

export const mySubscriptions: Route[] = [
  showSubscription,
  showCancellation,
  cancelSubscription,
  resumeSubscription,
  changeCard,
];

type SubscriptionCall = AnyCall & { params: { id: string }; visitor: Visitor };

async function load(call: SubscriptionCall): Promise<SubscriptionView> {
  const { params: given, services, visitor } = call;
  const key = { personId: visitor.personId, subscriptionId: given.id };
  const isId = SUBSCRIPTION_ID.test(given.id);
  const found = isId ? await findSubscriptionOf(services.database.em(), key) : null;
  if (!found) throw new Failure('not_found');
  return found;
}

/** The row decides; the subscription's actor carries it out, and its page says how far it has come. */
async function ask(call: SubscriptionCall, wish: Wish): Promise<Answer> {
  const subscription = await load(call);
  const { subscriptionId } = subscription;
  const asked = await call.services.database.transaction((em) =>
    wishFor(em, { subscriptionId, wish }),
  );
  return back(subscription, isRefusal(asked) ? 'unchanged' : NOTICE_OF[wish]);
}

const NOTICE_OF = {
  cancel: 'subscription_cancelled',
  resume: 'subscription_resumed',
} as const satisfies Record<Wish, Notice>;

function back(subscription: SubscriptionView, notice: Notice): Answer {
  return redirect(withNotice(subscriptionPath(subscription), notice));
}
