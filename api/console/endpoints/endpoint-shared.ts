// Loads the product and its endpoints for the pages of endpoints.
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { listProductEndpoints } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type {
  Secrets,
  EndpointKey,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';
import { page } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { HttpError } from '../../errors.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import type { HttpResponse } from '../../route.ts';
import {
  isAnswer,
  loadChangeable,
  type CredentialRights,
  type ProductCall,
} from '../managed-product.ts';
import { LIVE_ENDPOINTS_WAIT } from '../credentials/trial.ts';
import { readShown, showOnce } from '../shown-once.ts';
import { queryLink } from '../../operator/workflows/saved-queries.ts';
import { withShownAddress } from './endpoint-address.ts';
import { EMPTY_DRAFT, type Draft } from './endpoint-form.ts';
import { endpointRightsOf } from './endpoint-rights.ts';
import { endpointPage } from './endpoint.page.ts';
import { endpointsPage, endpointsPath } from './endpoints.page.ts';
import { uuid } from '../../account/fields.ts';

export const ENDPOINTS = '/console/products/:ref/endpoints';
export const endpointParams = productRef.extend({ endpoint: uuid().toLowerCase() });

export type EndpointCall = ProductCall & { params: { endpoint: string } };

type Said = { problem?: string; draft?: Draft };
type SaidOfOne = Said & { status?: number; headers?: Record<string, string> };
type Target = { product: ManagedProduct; endpointId: string };

/** The product whose endpoints a form changes, or the page that says why nothing is changed. */
export function loadProduct(context: ProductCall): Promise<ManagedProduct | HttpResponse> {
  const blockReasonOf = (product: ManagedProduct) => endpointRightsOf(context, product).blockReason;
  return loadChangeable(context, { blockReasonOf, show: showAll });
}

/** The product and the endpoint of a form, or the page that says why nothing is changed. */
export async function loadEndpoint(
  context: EndpointCall,
): Promise<{ product: ManagedProduct; key: EndpointKey } | HttpResponse> {
  const product = await loadProduct(context);
  return isAnswer(product) ? product : { product, key: keyOf(product, context) };
}

export function keyOf(product: ManagedProduct, { params }: EndpointCall): EndpointKey {
  return { productId: product.id, endpointId: params.endpoint };
}

export function pathOf(product: ManagedProduct, { endpointId }: { endpointId: string }): string {
  return `${endpointsPath(product)}/${endpointId}`;
}

export async function showAll(
  context: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<HttpResponse> {
  const { problem = null, draft = EMPTY_DRAFT } = said;
  const endpoints = await listShown(context, product);
  const view = endpointsPage({ ...readRights(context, product), problem, endpoints, draft });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT;
  return page(context, view, isRefused ? { status: 422 } : {});
}

export async function showOne(
  context: ProductCall,
  { product, endpointId }: Target,
  said: SaidOfOne = {},
): Promise<HttpResponse> {
  const { problem = null, status = 200, headers = {} } = said;
  const arrival = readShown<SentSecrets>(context);
  const endpoints = await listShown(context, product);
  const endpoint = endpoints.find((found) => found.endpointId === endpointId);
  if (!endpoint) throw new HttpError('not_found');
  const draft = said.draft ?? { url: endpoint.url, events: endpoint.events, problems: {} };
  const rights = restrictTrial(readRights(context, product), endpoint);
  const workflows = queryLink(context, { scope: 'endpoint', id: endpointId });
  const secrets = arrival?.shown ? receivedSecrets(arrival.shown) : null;
  const view = endpointPage({ ...rights, problem, endpoint, draft, secrets, workflows });
  return page(context, view, { status, headers, cookies: arrival?.cookies ?? [] });
}

/** The endpoint's page, which says that the endpoint is read-only before the verification. */
export function showLive(context: ProductCall, target: Target): Promise<HttpResponse> {
  return showOne(context, target, { problem: LIVE_ENDPOINTS_WAIT, status: 422 });
}

/** Leads to the endpoint's page, which shows them once. */
export function showSecrets(
  context: ProductCall,
  { product, endpointId }: Target,
  secrets: Secrets,
): HttpResponse {
  const path = pathOf(product, { endpointId });
  return showOnce(context, { path, id: endpointId, shown: secrets });
}

/** As JSON brings them. */
type SentSecrets = Pick<Secrets, 'current'> & {
  previous: { secret: string; until: string } | null;
};

function receivedSecrets({ current, previous }: SentSecrets): Secrets {
  return { current, previous: previous && { ...previous, until: new Date(previous.until) } };
}

async function listShown({ services }: ProductCall, product: ManagedProduct) {
  const endpoints = await listProductEndpoints(services.database.em(), product.id);
  return endpoints.map((endpoint) => withShownAddress(product, endpoint));
}

/** An endpoint with another address than a loopback one is read-only before the verification. */
function restrictTrial<Rights extends CredentialRights>(rights: Rights, { url }: { url: string }) {
  const isLive = rights.isTrial && !isLoopbackEndpoint(url);
  return isLive ? { ...rights, isTrial: false, blockReason: LIVE_ENDPOINTS_WAIT } : rights;
}

function readRights(context: ProductCall, product: ManagedProduct) {
  return {
    product,
    ...endpointRightsOf(context, product),
    formToken: sessionFormToken(context),
  };
}
