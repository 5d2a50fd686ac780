import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { listChargeReceipts } from '../../../domain/billing/recurring/charge-receipt.repository.ts';
import {
  findSubscriptionOf,
  type SubscriptionView,
} from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { page } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { given, mark } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { receiptBefore, renewalRoutes, type RenewalCall } from './renewal-changes.routes.ts';
import { isAwaited, subscriptionPath } from './renewal.page.ts';
import { subscriptionPage } from './subscription.page.ts';

const SUBSCRIPTION_ID = publicIdPattern('sub_');
const PATH = '/subscriptions/:id';
const params = z.object({ id: given(30) });

const showSubscription = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show a subscription',
  input: {
    params,
    query: z.object({ returned: mark, before: receiptBefore, since: waitingSinceField }),
  },
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const subscription = await load(context);
    const token = sessionFormToken(context);
    const { returned, before, since } = context.query;
    const of = { subscriptionId: subscription.subscriptionId };
    const receipts = await listChargeReceipts(context.services.database.em(), { of, before });
    const view = subscriptionPage({ subscription, receipts, before, token });
    const headers = isAwaited(subscription, returned)
      ? refreshWhileWaiting(context.ctx, since)
      : {};
    return page(context, view, { headers });
  },
});

const renewal = renewalRoutes({
  what: 'subscription',
  path: PATH,
  params,
  async load(context) {
    const found = await load(context);
    const { subscriptionId, productName } = found;
    const path = subscriptionPath(found);
    return { ...found, of: { subscriptionId }, path, name: productName, kept: productName };
  },
  done: { cancel: 'subscription_cancelled', resume: 'subscription_resumed' },
});

async function load(context: RenewalCall): Promise<SubscriptionView> {
  const { services, currentUser } = context;
  const { id: subscriptionId = '' } = context.params;
  const key = { personId: currentUser.personId, subscriptionId };
  const isId = SUBSCRIPTION_ID.test(subscriptionId);
  const found = isId ? await findSubscriptionOf(services.database.em(), key) : null;
  if (!found) throw new HttpError('not_found');
  return found;
}

export const routes = [showSubscription, ...renewal];
