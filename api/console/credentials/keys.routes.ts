import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  createKey,
  revokeKey,
  rotateKey,
  type FreshKey,
  listKeys,
} from '../../../domain/catalog/keys/api-key.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { validateKeyName } from '../../../domain/catalog/product-fields.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { explain, text, uuid } from '../../account/fields.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import { defineRoute, type HttpResponse } from '../../route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { LIVE_KEYS_WAIT } from './trial.ts';
import { EMPTY_KEY, keysPage, type KeyDraft } from './keys.page.ts';
import {
  auditEntryOn,
  credentialRightsOf,
  isAnswer,
  loadChangeable,
  loadManaged,
  type ProductCall,
} from '../managed-product.ts';
import { FORM_ERRORS } from '../../errors.ts';

type Said = { problem?: string; fresh?: FreshKey; draft?: KeyDraft };

const shared = { credential: 'session', limit: 'settings' } as const;
const PATH = '/console/products/:ref/keys';

const PROBLEMS = {
  replaced:
    'This key has already been rotated. If you did not copy the new key, rotate the new key.',
  too_many: 'You have reached the limit of 20 keys. Revoke one first.',
};

export const showKeys = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path: PATH,
  summary: 'List API keys',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(context) {
    return show(context, await loadManaged(context));
  },
});

export const createApiKey = defineRoute({
  ...shared,
  method: 'POST',
  path: PATH,
  summary: 'Create an API key',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: z.object({ name: text(80), mode: z.enum(['live', 'test']) }) },
  },
  statuses: [200, 303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const product = await loadOpen(context);
    if (isAnswer(product)) return product;
    const { mode } = context.body;
    const { isTrial } = credentialRightsOf(context, product);
    if (isTrial && mode === 'live') return show(context, product, { problem: LIVE_KEYS_WAIT });
    const { value: name, problem } = validateKeyName(context.body.name);
    if (problem)
      return show(context, product, { draft: { name, mode, problem: explain(problem) } });
    const wanted = { productId: product.id, mode, name };
    const created = await context.services.database.transaction(async (em) => {
      const made = await createKey(em, wanted);
      if (isRefusal(made)) return made;
      const what = { action: 'key.created', subject: made.keyId, detail: { mode, name } } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      await mailOwners(em, 'key_made', wanted);
      return made;
    });
    if (isRefusal(created)) return show(context, product, { problem: PROBLEMS.too_many });
    return show(context, product, { fresh: created });
  },
});

export const changeApiKey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${PATH}/:key`,
  summary: 'Rotate or revoke an API key',
  proof: ({ action }) => action === 'rotate',
  input: {
    params: productRef.extend({ key: uuid().toLowerCase() }),
    body: { kind: 'form', shape: z.object({ action: z.enum(['rotate', 'revoke']) }) },
  },
  statuses: [200, 303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const product = await loadOpen(context);
    if (isAnswer(product)) return product;
    if (await isBeyondTrial(context, product))
      return show(context, product, { problem: LIVE_KEYS_WAIT });
    return context.body.action === 'rotate' ? rotate(context, product) : revoke(context, product);
  },
});

type KeyCall = ProductCall & { params: { key: string } };

function loadOpen(context: ProductCall): Promise<ManagedProduct | HttpResponse> {
  return loadChangeable(context, {
    blockReasonOf: (product) => credentialRightsOf(context, product).blockReason,
    show,
  });
}

/** The mode of a key never changes. */
async function isBeyondTrial(context: KeyCall, product: ManagedProduct): Promise<boolean> {
  if (!credentialRightsOf(context, product).isTrial) return false;
  const keys = await listKeys(context.services.database.em(), [product.id]);
  return keys.some(({ keyId, mode }) => keyId === context.params.key && mode === 'live');
}

async function rotate(context: KeyCall, product: ManagedProduct): Promise<HttpResponse> {
  const key = { productId: product.id, keyId: context.params.key };
  const rotated = await context.services.database.transaction(async (em) => {
    const made = await rotateKey(em, key);
    if (isRefusal(made)) return made;
    const what = {
      action: 'key.rotated',
      subject: key.keyId,
      detail: { new: made.keyId },
    } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    await mailOwners(em, 'key_made', key);
    return made;
  });
  if (!isRefusal(rotated)) return show(context, product, { fresh: rotated });
  return show(context, product, { problem: PROBLEMS[rotated.refused] });
}

async function revoke(context: KeyCall, product: ManagedProduct): Promise<HttpResponse> {
  const key = { productId: product.id, keyId: context.params.key };
  const isRevoked = await context.services.database.transaction(async (em) => {
    if (!(await revokeKey(em, key))) return false;
    await recordAudit(em, {
      ...auditEntryOn(context, product),
      action: 'key.revoked',
      subject: key.keyId,
    });
    return true;
  });
  return redirect(isRevoked ? withNotice(pathOf(product), 'key_revoked') : pathOf(product));
}

async function show(
  context: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<HttpResponse> {
  const { problem = null, fresh = null, draft = EMPTY_KEY } = said;
  const view = keysPage({
    product,
    keys: await listKeys(context.services.database.em(), [product.id]),
    ...credentialRightsOf(context, product),
    problem,
    fresh,
    draft,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft.problem !== null;
  return page(context, view, isRefused ? { status: 422 } : {});
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/keys`;
}
