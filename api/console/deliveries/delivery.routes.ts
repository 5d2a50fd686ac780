import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { driverOf } from '../../../domain/outbox/actors.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import {
  findDelivery,
  listAttempts,
  type AttemptLine,
  type DeliveryDetail,
  retryDelivery,
} from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import { page, redirect } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { HttpError } from '../../errors.ts';
import { given } from '../../account/fields.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import { defineRoute } from '../../route.ts';
import { withShownAddress } from '../endpoints/endpoint-address.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { auditEntryOn, integrationBlockReason, loadManaged } from '../managed-product.ts';
import { workflowUrl } from '../workflow-url.ts';
import { deliveryId } from './delivery-query.ts';
import { deliveryPage } from './delivery.page.ts';

const PATH = '/console/products/:ref/deliveries/:delivery';

// A malformed id matches no delivery.
const deliveryRef = productRef.extend({
  delivery: given(30).transform((id) => deliveryId.safeParse(id).data ?? null),
});

export const showDelivery = defineRoute({
  method: 'GET',
  path: PATH,
  summary: 'Show a delivery',
  credential: 'session',
  limit: null,
  input: { params: deliveryRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
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
        ? workflowUrl(context, driverOf(delivery))
        : null,
      mayReadPayloads: isAllowed(product.roles, 'see_payloads'),
      blockReason: integrationBlockReason(product),
      formToken: sessionFormToken(context),
    });
    return page(context, view);
  },
});

/** The first attempt needs none: only a delivery in trouble becomes one. */
function hasWorkflow({ status }: DeliveryDetail, attempts: AttemptLine[]): boolean {
  return attempts.length > 1 || status === 'retrying' || status === 'dead';
}

const ANSWERS = {
  queued: 'delivery_queued',
  already_queued: 'delivery_already_queued',
} as const;

export const retryOneDelivery = defineRoute({
  method: 'POST',
  path: `${PATH}/retry`,
  summary: 'Retry a dead delivery',
  credential: 'session',
  limit: 'settings',
  input: { params: deliveryRef, body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: ['unauthorized', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  async handler(context) {
    const product = await loadManaged(context);
    const blockReason = integrationBlockReason(product);
    if (blockReason !== null) throw new HttpError('forbidden', { message: blockReason });
    const { delivery: id } = context.params;
    const key = { productId: product.id, deliveryId: id ?? '' };
    const { database } = context.services;
    if (id === null || !(await findDelivery(database.em(), key))) throw new HttpError('not_found');
    const answer = await database.transaction(async (em) => {
      const answered = await retryDelivery(em, key);
      if (answered !== 'queued') return answered;
      const what = { action: 'delivery.retried', subject: id } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return answered;
    });
    const path = `${productPath(product.slug)}/deliveries/${id}`;
    return redirect(withNotice(path, answer === null ? 'delivery_not_dead' : ANSWERS[answer]));
  },
});
