import { z } from 'zod';
import { drivingWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import {
  findDelivery,
  listAttempts,
  type AttemptLine,
  type DeliveryDetail,
} from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import {
  retryDeliveryNow,
  sendDeliveryAgain,
} from '../../../domain/webhooks/deliveries/retry.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { given, matching } from '../../http/fields.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withShownAddress } from './endpoint-address.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { actorOf, retryBlockReason, loadManaged, type ProductCall } from '../managed-product.ts';
import { workflowUrl } from '../workflow-url.ts';
import { deliveryId } from './delivery-query.ts';
import { deliveryPage } from './delivery.page.ts';

const PATH = '/console/products/:ref/deliveries/:delivery';

// A malformed id matches no delivery.
const deliveryRef = productRef.extend({
  delivery: given(30).transform((id) => deliveryId.safeParse(id).data ?? null),
});

const showDelivery = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show a delivery',
  input: { params: deliveryRef, query: z.object({ since: waitingSinceField }) },
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const { delivery: id } = context.params;
    const key = { productId: product.id, deliveryId: id ?? '' };
    const delivery = id === null ? null : await findDelivery(em, key);
    if (!delivery) throw new HttpError('not_found');
    const attempts = await listAttempts(em, delivery.deliveryId);
    const view = deliveryPage({
      product,
      delivery: withShownAddress(product, delivery),
      attempts,
      workflowUrl: hasWorkflow(delivery, attempts)
        ? workflowUrl(context, drivingWorkflow(delivery))
        : null,
      mayReadPayloads: isAllowed(product.roles, 'see_payloads'),
      blockReason: retryBlockReason(product),
      formToken: sessionFormToken(context),
    });
    const headers = delivery.isAwaited ? refreshWhileWaiting(context.ctx, context.query.since) : {};
    return page(context, view, { headers });
  },
});

/** The first attempt needs none: only a delivery in trouble becomes one. */
function hasWorkflow({ status }: DeliveryDetail, attempts: AttemptLine[]): boolean {
  return attempts.length > 1 || status === 'retrying' || status === 'dead';
}

const number = (pattern: RegExp, longest: number) => matching(pattern, longest).transform(Number);

/** The attempt group that the person saw, and the retry that was ahead. */
const seenRun = z.object({ run: number(/^\d{1,9}$/, 9) });
const seenRetry = seenRun.extend({ step: number(/^[0-5]$/, 1) });

const NOT_SENT = {
  already_queued: 'delivery_already_queued',
  not_sendable: 'delivery_not_sent',
} as const;

const sendOneAgain = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/retry`,
  summary: 'Send a dead or succeeded delivery again',
  proof: 'none',
  input: { params: deliveryRef, body: { kind: 'form', shape: seenRun } },
  async handler(context) {
    const { product, key, path } = await loadForRetry(context);
    const input = { ...key, ...context.body, teamId: product.ownerTeamId, by: actorOf(context) };
    const sent = await sendDeliveryAgain(context.services.database.em(), input);
    const notice = isRefusal(sent) ? NOT_SENT[sent.refused] : 'delivery_queued';
    return redirect(withNotice(path, notice));
  },
});

const retryOneNow = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/retry-now`,
  summary: 'Make the next retry of a delivery now',
  proof: 'none',
  input: { params: deliveryRef, body: { kind: 'form', shape: seenRetry } },
  async handler(context) {
    const { key, path } = await loadForRetry(context);
    const input = { ...context.body, deliveryId: key.deliveryId, by: actorOf(context) };
    const retried = await retryDeliveryNow(context.services.database.em(), input);
    const notice = isRefusal(retried) ? 'delivery_not_waiting' : 'delivery_retried_now';
    return redirect(withNotice(path, notice));
  },
});

type RetryCall = ProductCall & { params: { delivery: string | null } };

/** The delivery of the product that this person may retry. */
async function loadForRetry(context: RetryCall) {
  const product = await loadManaged(context);
  const blockReason = retryBlockReason(product);
  if (blockReason !== null) throw new HttpError('forbidden', { message: blockReason });
  const { delivery: deliveryId } = context.params;
  if (deliveryId === null) throw new HttpError('not_found');
  const key = { productId: product.id, deliveryId };
  const found = await findDelivery(context.services.database.em(), key);
  if (!found) throw new HttpError('not_found');
  return { product, key, path: `${productPath(product.slug)}/deliveries/${deliveryId}` };
}

export const routes = [showDelivery, sendOneAgain, retryOneNow];
