import { z } from 'zod';
import { recordAudit } from '../../domain/audit/audit.store.ts';
import type { ManagedProduct } from '../../domain/catalog/managed-product.store.ts';
import {
  changeClient,
  listClients,
  registerClient,
} from '../../domain/identity/oauth/client-console.store.ts';
import { decideRegistration } from '../../domain/identity/oauth/client-registration.ts';
import type { Visitor } from '../../domain/identity/identity.store.ts';
import { rotateSecret } from '../../domain/identity/oauth/oauth-client.store.ts';
import { isRefusal } from '../../domain/platform/refusal.ts';
import { page, redirect } from '../answer.ts';
import { productRef } from '../catalog/product-ref.ts';
import { Failure } from '../errors.ts';
import { sessionFormToken } from '../identity/sessions.ts';
import { defineRoute, type AnyCall, type Answer } from '../route.ts';
import { clientsPage, type FreshSecret } from './clients.page.ts';
import { deedOn, integrationObstacle, loadManaged } from './managed-product.ts';
import { EMPTY_DRAFT, type Draft } from './new-client.page.ts';

type ClientsCall = AnyCall & { visitor: Visitor; params: { ref: string } };
type Said = { problem?: string; fresh?: FreshSecret; draft?: Draft };

const shared = { credential: 'session', limit: null } as const;
const text = z.string().refine((value) => !value.includes('\0'), 'must be text');

const TOO_MANY = 'A product may have 20 clients. Please delete one first.';
const TWO_LIVE =
  'Two secrets are live already. The older one ends 48 hours after it was replaced; a new one can be made then.';

export const showClients = defineRoute({
  ...shared,
  method: 'GET',
  path: '/console/products/:ref/clients',
  summary: 'OAuth clients of a product of mine',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(call) {
    return show(call, await loadManaged(call));
  },
});

export const createRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path: '/console/products/:ref/clients',
  summary: 'Register an OAuth client',
  input: {
    params: productRef,
    body: {
      kind: 'form',
      shape: z.object({ kind: text, name: text, redirect_uris: text }),
    },
  },
  statuses: [200, 303, 422],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'unavailable'],
  async handler(call) {
    const { kind, name, redirect_uris: redirectUris } = call.body;
    const product = await loadChangeable(call);
    if ('status' in product) return product;
    const typed = { kind, name, redirectUris };
    const decision = decideRegistration(typed);
    if ('problems' in decision) {
      return show(call, product, { draft: { typed, problems: decision.problems } });
    }
    const created = await call.services.database.transaction(async (em) => {
      const made = await registerClient(em, { productId: product.id, ...decision });
      if (isRefusal(made)) return made;
      await recordAudit(em, {
        ...deedOn(call, product),
        action: 'client.created',
        subject: made.clientId,
      });
      return made;
    });
    if (isRefusal(created)) return show(call, product, { problem: TOO_MANY });
    const { clientId, secret } = created;
    return secret === null ? back(product) : show(call, product, { fresh: { clientId, secret } });
  },
});

export const changeRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path: '/console/products/:ref/clients/:client',
  summary: 'Rotate the secret of an OAuth client, disable, enable or delete it',
  input: {
    params: productRef.extend({ client: text }),
    body: {
      kind: 'form',
      shape: z.object({
        action: z.enum(['rotate', 'disable', 'enable', 'send_iss', 'omit_iss', 'delete']),
      }),
    },
  },
  statuses: [200, 303, 422],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'unavailable'],
  async handler(call) {
    const { action } = call.body;
    const product = await loadChangeable(call);
    if ('status' in product) return product;
    const key = { productId: product.id, clientId: call.params.client };
    if (action === 'rotate') return rotate(call, product, key.clientId);
    const { database } = call.services;
    const isKnown = await database.transaction(async (em) => {
      if (!(await changeClient(em, key, action))) return false;
      await recordAudit(em, {
        ...deedOn(call, product),
        action: `client.${action}`,
        subject: key.clientId,
      });
      return true;
    });
    if (!isKnown) throw new Failure('not_found');
    return back(product);
  },
});

async function rotate(
  call: ClientsCall,
  product: ManagedProduct,
  clientId: string,
): Promise<Answer> {
  const rotated = await call.services.database.transaction(async (em) => {
    const made = await rotateSecret(em, { productId: product.id, clientId });
    if (isRefusal(made)) return made;
    await recordAudit(em, { ...deedOn(call, product), action: 'client.rotate', subject: clientId });
    return made;
  });
  if (!isRefusal(rotated)) return show(call, product, { fresh: { clientId, ...rotated } });
  if (rotated.refused !== 'two_live') throw new Failure('not_found');
  return show(call, product, { problem: TWO_LIVE });
}

/** The product, or the page that says why nothing of it may be changed. */
async function loadChangeable(call: ClientsCall): Promise<ManagedProduct | Answer> {
  const product = await loadManaged(call);
  return integrationObstacle(product) === null
    ? product
    : { ...(await show(call, product)), status: 422 };
}

async function show(call: ClientsCall, product: ManagedProduct, said: Said = {}): Promise<Answer> {
  const { services } = call;
  const { problem = null, fresh = null, draft = EMPTY_DRAFT } = said;
  const view = clientsPage({
    product,
    clients: await listClients(services.database.em(), product.id),
    obstacle: integrationObstacle(product),
    problem,
    fresh,
    draft,
    formToken: sessionFormToken(call),
  });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT;
  return page(call, view, isRefused ? { status: 422 } : {});
}

function back({ slug }: ManagedProduct): Answer {
  return redirect(`/console/products/${slug}/clients`);
}
