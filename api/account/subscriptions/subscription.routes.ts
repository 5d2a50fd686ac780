import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { listChargeReceipts } from '../../../domain/billing/subscriptions/charge-receipt.repository.ts';
import {
  findSubscriptionOf,
  type SubscriptionView,
} from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { RequestedChange } from '../../../domain/billing/subscriptions/change-request.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { page } from '../../response.ts';
import { HttpError } from '../../errors.ts';
import { given, mark } from '../fields.ts';
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
import type { Notice } from '../../html/notices.ts';
import { lookAgain, sinceField } from '../purchases/look-again.ts';
import { receiptBefore } from '../purchases/receipt-cursor.ts';
import { askFor, sendToCardUpdate } from './subscription-actions.ts';
import { isAwaited, subscriptionPath } from './renewal.page.ts';
import { cancellationPage } from './cancellation.page.ts';
import { subscriptionPage } from './subscription.page.ts';

const SUBSCRIPTION_ID = publicIdPattern('sub_');
const PATH = '/subscriptions/:id';
const params = z.object({ id: given(30) });

const changed = {
  ...SESSION_FORM,
  input: { params, body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
} as const;

const showSubscription = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show a subscription',
  input: { params, query: z.object({ returned: mark, before: receiptBefore, since: sinceField }) },
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const subscription = await load(context);
    const token = sessionFormToken(context);
    const { returned, before = null, since } = context.query;
    const of = { subscriptionId: subscription.subscriptionId };
    const receipts = await listChargeReceipts(context.services.database.em(), { of, before });
    const view = subscriptionPage({ subscription, receipts, before, token });
    const headers = isAwaited(subscription, returned) ? lookAgain(context.ctx, since) : {};
    return page(context, view, { headers });
  },
});

const showCancellation = defineRoute({
  ...SESSION_PAGE,
  path: `${PATH}/cancel`,
  summary: 'Ask before a subscription is cancelled',
  input: { params },
  async handler(context) {
    const subscription = await load(context);
    const { productName: name } = subscription;
    const view = cancellationPage({
      shown: subscription,
      name,
      kept: name,
      path: subscriptionPath(subscription),
      button: 'Cancel subscription',
      token: sessionFormToken(context),
    });
    return page(context, view);
  },
});

const cancelSubscription = defineRoute({
  ...changed,
  path: `${PATH}/cancel`,
  summary: 'Cancel a subscription',
  handler: (context) => ask(context, 'cancel'),
});

const resumeSubscription = defineRoute({
  ...changed,
  path: `${PATH}/resume`,
  summary: 'Resume a subscription',
  handler: (context) => ask(context, 'resume'),
});

const changeCard = defineRoute({
  ...changed,
  path: `${PATH}/card`,
  summary: 'Update the card of a subscription',
  async handler(context) {
    const subscription = await load(context);
    return sendToCardUpdate(context, { ...subscription, path: subscriptionPath(subscription) });
  },
});

export const mySubscriptions: Route[] = [
  showSubscription,
  showCancellation,
  cancelSubscription,
  resumeSubscription,
  changeCard,
];

type SubscriptionCall = RouteContext & { params: { id: string }; currentUser: CurrentUser };

async function load(context: SubscriptionCall): Promise<SubscriptionView> {
  const { params: given, services, currentUser } = context;
  const key = { personId: currentUser.personId, subscriptionId: given.id };
  const isId = SUBSCRIPTION_ID.test(given.id);
  const found = isId ? await findSubscriptionOf(services.database.em(), key) : null;
  if (!found) throw new HttpError('not_found');
  return found;
}

async function ask(context: SubscriptionCall, change: RequestedChange): Promise<HttpResponse> {
  const subscription = await load(context);
  const { subscriptionId } = subscription;
  const path = subscriptionPath(subscription);
  return askFor(context, { subscriptionId, change, path, done: NOTICE_OF[change] });
}

const NOTICE_OF = {
  cancel: 'subscription_cancelled',
  resume: 'subscription_resumed',
} as const satisfies Record<RequestedChange, Notice>;
