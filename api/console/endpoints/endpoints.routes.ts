import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal, refuse } from '../../../domain/shared/refusal.ts';
import { sealEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret.ts';
import {
  createEndpoint,
  newEndpointSecret,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../route.ts';
import { auditEntryOn, isAnswer, loadManaged } from '../managed-product.ts';
import { holdEndpointRights } from './endpoint-rights.ts';
import { ENDPOINTS, loadProduct, showAll, showSecrets } from './endpoint-shared.ts';
import { duplicateDraft, liveDraft, validateTarget, targetForm } from './endpoint-form.ts';

const REFUSALS = {
  too_many: 'You have reached the limit of 10 endpoints. Delete one first.',
  too_many_of_owner:
    'The owner of this product has reached the limit of 100 endpoints across all products. Delete one first.',
  moved: 'The product has just been transferred. Try again.',
};

export const showEndpoints = defineRoute({
  ...SESSION_PAGE,
  path: ENDPOINTS,
  summary: 'List webhook endpoints',
  input: { params: productRef },
  async handler(context) {
    return showAll(context, await loadManaged(context));
  },
});

export const addEndpoint = defineRoute({
  ...SESSION_FORM,
  path: ENDPOINTS,
  summary: 'Add a webhook endpoint',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: targetForm } },
  async handler(context) {
    const product = await loadProduct(context);
    if (isAnswer(product)) return product;
    const { database, sealer } = context.services;
    const validated = validateTarget(context.body, context.services);
    if ('draft' in validated) return showAll(context, product, validated);
    const secret = newEndpointSecret();
    const { url, events } = validated.target;
    const endpointId = newUuid();
    const sealedSecret = sealEndpointSecret(sealer, endpointId, secret);
    const wanted = { productId: product.id, endpointId, url, events, sealedSecret };
    const created = await database.transaction(async (em) => {
      const { isTrial } = await holdEndpointRights(em, context, product.id);
      if (isTrial && !isLoopbackEndpoint(url)) return refuse('live');
      const made = await createEndpoint(em, wanted);
      if (isRefusal(made)) return made;
      const { host } = new URL(url);
      const what = { action: 'endpoint.created', subject: made.endpointId } as const;
      await recordAudit(em, {
        ...auditEntryOn(context, product),
        ...what,
        detail: { host, events },
      });
      return made;
    });
    if (isRefusal(created)) {
      if (created.refused === 'live') {
        return showAll(context, product, { draft: liveDraft(context.body) });
      }
      if (created.refused === 'duplicate') {
        return showAll(context, product, { draft: duplicateDraft(context.body) });
      }
      return showAll(context, product, { problem: REFUSALS[created.refused] });
    }
    const secrets = { current: secret, previous: null };
    return showSecrets(context, { product, ...created }, secrets);
  },
});
