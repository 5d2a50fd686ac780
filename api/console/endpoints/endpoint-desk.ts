// What the pages of endpoints share: the product, what its endpoints are, and the pages that say so.
import { z } from 'zod';
import type { ManagedProduct } from '../../../domain/catalog/managed-product.store.ts';
import type { Visitor } from '../../../domain/identity/identity.store.ts';
import { listProductEndpoints } from '../../../domain/webhooks/endpoint-list.store.ts';
import type { Secrets, EndpointKey } from '../../../domain/webhooks/endpoint.store.ts';
import { page } from '../../answer.ts';
import { productRef } from '../../catalog/product-ref.ts';
import { Failure } from '../../errors.ts';
import { sessionFormToken } from '../../identity/sessions.ts';
import type { AnyCall, Answer } from '../../route.ts';
import { integrationObstacle, loadManaged } from '../managed-product.ts';
import { EMPTY_DRAFT, type Draft } from './endpoint-form.ts';
import { endpointPage } from './endpoint.page.ts';
import { endpointsPage, endpointsPath } from './endpoints.page.ts';

export const ENDPOINTS = '/console/products/:ref/endpoints';
export const shared = { credential: 'session', limit: 'settings' } as const;
export const errors = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate_limited',
  'unavailable',
] as const;
export const endpointParams = productRef.extend({ endpoint: z.guid().toLowerCase() });

export type ProductCall = AnyCall & { visitor: Visitor; params: { ref: string } };
export type EndpointCall = ProductCall & { params: { endpoint: string } };

type Said = { problem?: string; draft?: Draft; notice?: unknown };
type SaidOfOne = Said & { secrets?: Secrets; status?: number; headers?: Record<string, string> };

/** The product, or the page that says why nothing of it may be changed. */
export async function loadChangeable(call: ProductCall): Promise<ManagedProduct | Answer> {
  const product = await loadManaged(call);
  if (integrationObstacle(product) === null) return product;
  return { ...(await showAll(call, product)), status: 422 };
}

export function isAnswer(loaded: ManagedProduct | Answer): loaded is Answer {
  return 'status' in loaded;
}

export function keyOf(product: ManagedProduct, { params }: EndpointCall): EndpointKey {
  return { productId: product.id, endpointId: params.endpoint };
}

export function pathOf(product: ManagedProduct, { endpointId }: { endpointId: string }): string {
  return `${endpointsPath(product)}/${endpointId}`;
}

export async function showAll(
  call: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<Answer> {
  const { problem = null, draft = EMPTY_DRAFT, notice } = said;
  const endpoints = await listProductEndpoints(call.services.database.em(), product.id);
  const view = endpointsPage({ ...surround(call, product), problem, notice, endpoints, draft });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT;
  return page(call, view, isRefused ? { status: 422 } : {});
}

export async function showOne(
  call: ProductCall,
  { product, endpointId }: { product: ManagedProduct; endpointId: string },
  said: SaidOfOne = {},
): Promise<Answer> {
  const { problem = null, notice, secrets = null, status = 200, headers = {} } = said;
  const endpoints = await listProductEndpoints(call.services.database.em(), product.id);
  const endpoint = endpoints.find((found) => found.endpointId === endpointId);
  if (!endpoint) throw new Failure('not_found');
  const draft = said.draft ?? { url: endpoint.url, events: endpoint.events, problems: {} };
  const around = surround(call, product);
  const view = endpointPage({ ...around, problem, notice, endpoint, draft, secrets });
  return page(call, view, { status, headers });
}

function surround(call: ProductCall, product: ManagedProduct) {
  return { product, obstacle: integrationObstacle(product), formToken: sessionFormToken(call) };
}
