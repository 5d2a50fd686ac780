import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  createKey,
  revokeKey,
  rotateKey,
  type FreshKey,
} from '../../../domain/catalog/keys/api-key.repository.ts';
import { listKeys } from '../../../domain/catalog/keys/key-list.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/managed-product.repository.ts';
import { judgeKeyName } from '../../../domain/catalog/product-fields.ts';
import { mailOwners } from '../../../domain/notifications/owner-mails.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { explain, noticeQuery, text, uuid } from '../../account/fields.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import { defineRoute, type Answer } from '../../route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { EMPTY_KEY, keysPage, type KeyDraft } from './keys.page.ts';
import {
  auditEntryOn,
  integrationBlockReason,
  isAnswer,
  loadChangeable,
  loadManaged,
  type ProductCall,
} from '../managed-product.ts';
import { FORM_ERRORS } from '../../errors.ts';

const CHANGING = { blockReasonOf: integrationBlockReason, show };

type Said = { problem?: string; fresh?: FreshKey; draft?: KeyDraft; notice?: unknown };

const shared = { credential: 'session', limit: 'settings' } as const;
const PATH = '/console/products/:ref/keys';

const PROBLEMS = {
  replaced: 'This key has already been rotated. If you did not copy the new key, rotate that one.',
  too_many: 'You have reached the limit of 20 keys. Revoke one first.',
};

export const showKeys = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path: PATH,
  summary: 'List API keys',
  input: { params: productRef, query: noticeQuery },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(call) {
    return show(call, await loadManaged(call), { notice: call.query.notice });
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
  async handler(call) {
    const product = await loadChangeable(call, CHANGING);
    if (isAnswer(product)) return product;
    const { mode } = call.body;
    const { value: name, problem } = judgeKeyName(call.body.name);
    if (problem) return show(call, product, { draft: { name, mode, problem: explain(problem) } });
    const wanted = { productId: product.id, mode, name };
    const created = await call.services.database.transaction(async (em) => {
      const made = await createKey(em, wanted);
      if (isRefusal(made)) return made;
      const what = { action: 'key.created', subject: made.keyId, detail: { mode, name } } as const;
      await recordAudit(em, { ...auditEntryOn(call, product), ...what });
      await mailOwners(em, 'key_made', wanted);
      return made;
    });
    if (isRefusal(created)) return show(call, product, { problem: PROBLEMS.too_many });
    return show(call, product, { fresh: created });
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
  async handler(call) {
    const product = await loadChangeable(call, CHANGING);
    if (isAnswer(product)) return product;
    return call.body.action === 'rotate' ? rotate(call, product) : revoke(call, product);
  },
});

type KeyCall = ProductCall & { params: { key: string } };

async function rotate(call: KeyCall, product: ManagedProduct): Promise<Answer> {
  const key = { productId: product.id, keyId: call.params.key };
  const rotated = await call.services.database.transaction(async (em) => {
    const made = await rotateKey(em, key);
    if (isRefusal(made)) return made;
    const what = {
      action: 'key.rotated',
      subject: key.keyId,
      detail: { new: made.keyId },
    } as const;
    await recordAudit(em, { ...auditEntryOn(call, product), ...what });
    await mailOwners(em, 'key_made', key);
    return made;
  });
  if (!isRefusal(rotated)) return show(call, product, { fresh: rotated });
  return show(call, product, { problem: PROBLEMS[rotated.refused] });
}

async function revoke(call: KeyCall, product: ManagedProduct): Promise<Answer> {
  const key = { productId: product.id, keyId: call.params.key };
  const isRevoked = await call.services.database.transaction(async (em) => {
    if (!(await revokeKey(em, key))) return false;
    await recordAudit(em, {
      ...auditEntryOn(call, product),
      action: 'key.revoked',
      subject: key.keyId,
    });
    return true;
  });
  return redirect(isRevoked ? withNotice(pathOf(product), 'key_revoked') : pathOf(product));
}

async function show(call: ProductCall, product: ManagedProduct, said: Said = {}): Promise<Answer> {
  const { problem = null, fresh = null, draft = EMPTY_KEY, notice } = said;
  const view = keysPage({
    product,
    keys: await listKeys(call.services.database.em(), [product.id]),
    blockReason: integrationBlockReason(product),
    problem,
    fresh,
    draft,
    notice,
    formToken: sessionFormToken(call),
  });
  const isRefused = problem !== null || draft.problem !== null;
  return page(call, view, isRefused ? { status: 422 } : {});
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/keys`;
}
