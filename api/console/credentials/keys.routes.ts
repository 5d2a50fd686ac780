import { z } from 'zod';
import { createKey, revokeKey, rotateKey } from '../../../domain/catalog/keys/api-key.command.ts';
import { listKeys, type FreshKey } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { validateKeyName } from '../../../domain/catalog/product-fields.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { now } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { text, uuid, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse, SESSION_PAGE, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import { readShown, showOnce } from '../shown-once.ts';
import { LIVE_KEYS_WAIT } from './trial-notice.ts';
import { keysPage, type KeyDraft } from './keys.page.ts';
import {
  credentialRightsOf,
  isResponse,
  loadChangeable,
  loadManaged,
  managerOf,
  passCredentialRights,
  type ProductCall,
} from '../managed-product.ts';

type PageState = { problem?: string; draft?: KeyDraft };

const PATH = '/console/products/:ref/keys';

const PROBLEMS = {
  replaced:
    'This key has already been rotated. If you did not copy the new key, rotate the new key.',
  too_many: 'You have reached the limit of 20 keys. Revoke one first.',
  live: LIVE_KEYS_WAIT,
};

const showKeys = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List API keys',
  input: { params: productRef },
  handler: async (context) => show(context, await loadManaged(context)),
});

const createApiKey = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Create an API key',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ name: text(80), mode: z.enum(['live', 'test']) }) },
  async handler(context) {
    const product = await loadOpen(context);
    if (isResponse(product)) return product;
    const { mode } = context.body;
    const { value: name, problem } = validateKeyName(context.body.name);
    if (problem) {
      const draft = { typed: { name, mode }, problems: { name: explain(problem) } };
      return show(context, product, { draft });
    }
    const input = { productId: product.id, mode, name, by: managerOf(context) };
    const created = await createKey(context.services.database.em(), input);
    return isRefusal(created)
      ? refuse(context, product, passCredentialRights(created.refused))
      : showFresh(context, product, created);
  },
});

const changeApiKey = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/:key`,
  summary: 'Rotate or revoke an API key',
  proof: ({ action }) => action === 'rotate',
  input: {
    params: productRef.extend({ key: uuid().toLowerCase() }),
    body: formBody({ action: z.enum(['rotate', 'revoke']) }),
  },
  async handler(context) {
    const product = await loadOpen(context);
    if (isResponse(product)) return product;
    const em = context.services.database.em();
    const { key: keyId } = context.params;
    const key = { productId: product.id, keyId, by: managerOf(context) };
    if (context.body.action === 'rotate') {
      const rotated = await rotateKey(em, key);
      return isRefusal(rotated)
        ? refuse(context, product, passCredentialRights(rotated.refused))
        : showFresh(context, product, rotated);
    }
    const revoked = await revokeKey(em, key);
    if (!isRefusal(revoked)) return redirect(withNotice(pathOf(product), 'key_revoked'));
    const refused = passCredentialRights(revoked.refused);
    return refused === 'unknown' ? redirect(pathOf(product)) : refuse(context, product, refused);
  },
});

function loadOpen(context: ProductCall): Promise<ManagedProduct | HttpResponse> {
  return loadChangeable(context, {
    blockReasonOf: (product) => credentialRightsOf(context, product).blockReason,
    show,
  });
}

function refuse(context: ProductCall, product: ManagedProduct, reason: keyof typeof PROBLEMS) {
  return show(context, product, { problem: PROBLEMS[reason] });
}

async function show(context: ProductCall, product: ManagedProduct, state: PageState = {}) {
  const { problem = null, draft = null } = state;
  const arrival = readShown<FreshKey>(context);
  const em = context.services.database.em();
  const view = keysPage({
    product,
    keys: await listKeys(em, [product.id]),
    now: await now(em),
    ...credentialRightsOf(context, product),
    problem,
    arrival,
    draft,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft !== null;
  const cookies = arrival?.cookies ?? [];
  return page(context, view, { cookies, status: isRefused ? 422 : 200 });
}

function showFresh(context: ProductCall, product: ManagedProduct, key: FreshKey) {
  return showOnce(context, { path: pathOf(product), id: key.keyId, shown: key });
}

function pathOf({ slug }: ManagedProduct): string {
  return `${productPath(slug)}/keys`;
}

export const routes = [showKeys, createApiKey, changeApiKey];
