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
import { isRefusal, refuse } from '../../../domain/shared/refusal.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { text, uuid } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { readShown, showOnce } from '../shown-once.ts';
import { LIVE_KEYS_WAIT } from './trial-notice.ts';
import { EMPTY_KEY, keysPage, type KeyDraft } from './keys.page.ts';
import {
  auditEntryOn,
  credentialRightsOf,
  holdCredentialRights,
  isAnswer,
  loadChangeable,
  loadManaged,
  type ProductCall,
} from '../managed-product.ts';
import { FORM_ERRORS } from '../../http/errors.ts';

type Said = { problem?: string; draft?: KeyDraft };

const shared = { credential: 'session', limit: 'settings' } as const;
const PATH = '/console/products/:ref/keys';

const PROBLEMS = {
  replaced:
    'This key has already been rotated. If you did not copy the new key, rotate the new key.',
  too_many: 'You have reached the limit of 20 keys. Revoke one first.',
  live: LIVE_KEYS_WAIT,
};

const showKeys = defineRoute({
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

const createApiKey = defineRoute({
  ...shared,
  method: 'POST',
  path: PATH,
  summary: 'Create an API key',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: z.object({ name: text(80), mode: z.enum(['live', 'test']) }) },
  },
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const product = await loadOpen(context);
    if (isAnswer(product)) return product;
    const { mode } = context.body;
    const { value: name, problem } = validateKeyName(context.body.name);
    if (problem)
      return show(context, product, { draft: { name, mode, problem: explain(problem) } });
    const wanted = { productId: product.id, mode, name };
    const created = await context.services.database.transaction(async (em) => {
      const { isTrial } = await holdCredentialRights(em, context, product);
      if (isTrial && mode === 'live') return refuse('live');
      const made = await createKey(em, wanted);
      if (isRefusal(made)) return made;
      const what = { action: 'key.created', subject: made.keyId, detail: { mode, name } } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      await mailOwners(em, 'key_made', wanted);
      return made;
    });
    if (isRefusal(created)) return show(context, product, { problem: PROBLEMS[created.refused] });
    return showFresh(context, product, created);
  },
});

const changeApiKey = defineRoute({
  ...shared,
  method: 'POST',
  path: `${PATH}/:key`,
  summary: 'Rotate or revoke an API key',
  proof: ({ action }) => action === 'rotate',
  input: {
    params: productRef.extend({ key: uuid().toLowerCase() }),
    body: { kind: 'form', shape: z.object({ action: z.enum(['rotate', 'revoke']) }) },
  },
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const product = await loadOpen(context);
    if (isAnswer(product)) return product;
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
async function isBeyondTrial(
  em: EntityManager,
  context: KeyCall,
  product: ManagedProduct,
): Promise<boolean> {
  if (!(await holdCredentialRights(em, context, product)).isTrial) return false;
  const keys = await listKeys(em, [product.id]);
  return keys.some(({ keyId, mode }) => keyId === context.params.key && mode === 'live');
}

async function rotate(context: KeyCall, product: ManagedProduct): Promise<HttpResponse> {
  const key = { productId: product.id, keyId: context.params.key };
  const rotated = await context.services.database.transaction(async (em) => {
    if (await isBeyondTrial(em, context, product)) return refuse('live');
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
  if (!isRefusal(rotated)) return showFresh(context, product, rotated);
  return show(context, product, { problem: PROBLEMS[rotated.refused] });
}

async function revoke(context: KeyCall, product: ManagedProduct): Promise<HttpResponse> {
  const key = { productId: product.id, keyId: context.params.key };
  const revoked = await context.services.database.transaction(async (em) => {
    if (await isBeyondTrial(em, context, product)) return 'live';
    if (!(await revokeKey(em, key))) return 'unknown';
    await recordAudit(em, {
      ...auditEntryOn(context, product),
      action: 'key.revoked',
      subject: key.keyId,
    });
    return 'revoked';
  });
  if (revoked === 'live') return show(context, product, { problem: LIVE_KEYS_WAIT });
  return redirect(
    revoked === 'revoked' ? withNotice(pathOf(product), 'key_revoked') : pathOf(product),
  );
}

async function show(
  context: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<HttpResponse> {
  const { problem = null, draft = EMPTY_KEY } = said;
  const arrival = readShown<FreshKey>(context);
  const view = keysPage({
    product,
    keys: await listKeys(context.services.database.em(), [product.id]),
    ...credentialRightsOf(context, product),
    problem,
    arrival,
    draft,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft.problem !== null;
  const cookies = arrival?.cookies ?? [];
  return page(context, view, { cookies, status: isRefused ? 422 : 200 });
}

function showFresh(context: ProductCall, product: ManagedProduct, key: FreshKey): HttpResponse {
  return showOnce(context, { path: pathOf(product), id: key.keyId, shown: key });
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/keys`;
}

export const routes = [showKeys, createApiKey, changeApiKey];
