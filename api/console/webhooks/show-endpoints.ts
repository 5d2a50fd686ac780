// What the forms of a product's endpoints load, and the pages that they show again.
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { searchDeliveries } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { readOutcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import { listProductEndpoints } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Secrets } from '../../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';
import { now } from '../../../platform/database/database.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { HttpError } from '../../http/errors.ts';
import { page } from '../../http/response.ts';
import type { HttpResponse } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { LIVE_ENDPOINTS_WAIT } from '../credentials/trial-notice.ts';
import {
  credentialRightsOf,
  integrationBlockReason,
  isResponse,
  loadChangeable,
  managerOf,
  type CredentialRights,
  type ProductCall,
} from '../managed-product.ts';
import { queryLink } from '../saved-queries.ts';
import { readShown, showOnce } from '../shown-once.ts';
import { withShownAddress } from './endpoint-address.ts';
import { EMPTY_DRAFT, type Draft } from './endpoint-form.ts';
import { endpointPage } from './endpoint.page.ts';
import { endpointPath, endpointsPage } from './endpoints.page.ts';

const NEWEST = 8;
const CHART_DAYS = 28;

export type Target = { product: ManagedProduct; endpointId: string };

type Refused = { problem?: string; draft?: Draft };
type RefusedOfOne = Refused & { status?: number; headers?: Record<string, string> };

/** A builder has a trial only where webhooks reach this machine. */
export function decideEndpointRights(
  context: Pick<ProductCall, 'currentUser' | 'services'>,
  product: ManagedProduct,
): CredentialRights {
  const rights = credentialRightsOf(context, product);
  if (!rights.isTrial || reachesLoopback(context.services)) return rights;
  return { blockReason: integrationBlockReason(product), isTrial: false };
}

function reachesLoopback({ addresses }: Pick<Services, 'addresses'>): boolean {
  return addresses.isAllowed('127.0.0.1') || addresses.isAllowed('::1');
}

/** Returns the product, or the page that says why nobody changes its endpoints. */
export function loadForChange(context: ProductCall) {
  return loadChangeable(context, {
    blockReasonOf: (product) => decideEndpointRights(context, product).blockReason,
    show: showAll,
  });
}

/** Returns the product and the endpoint of a form, or that page. */
export async function loadTarget(
  context: ProductCall & { params: { endpoint: string } },
): Promise<Target | HttpResponse> {
  const product = await loadForChange(context);
  return isResponse(product) ? product : { product, endpointId: context.params.endpoint };
}

/** The input that every command of an endpoint has. */
export function toChange(context: ProductCall, { product, endpointId }: Target) {
  return {
    productId: product.id,
    endpointId,
    by: managerOf(context),
    isLoopbackReachable: reachesLoopback(context.services),
  };
}

export async function showAll(
  context: ProductCall,
  product: ManagedProduct,
  refused: Refused = {},
) {
  const { problem = null, draft = EMPTY_DRAFT } = refused;
  const endpoints = await listEndpoints(context, product);
  const frame = await readFrame(context, product);
  const view = endpointsPage({ ...frame, problem, endpoints, draft });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT;
  return page(context, view, isRefused ? { status: 422 } : {});
}

export async function showOne(
  context: ProductCall,
  { product, endpointId }: Target,
  refused: RefusedOfOne = {},
) {
  const { problem = null, status = 200, headers = {} } = refused;
  const arrival = readShown<SentSecrets>(context);
  const endpoints = await listEndpoints(context, product);
  const endpoint = endpoints.find((found) => found.endpointId === endpointId);
  if (!endpoint) throw new HttpError('not_found');
  const draft = refused.draft ?? { url: endpoint.url, events: endpoint.events, problems: {} };
  const frame = await readFrame(context, product);
  const em = context.services.database.em();
  const { lines } = await searchDeliveries(em, {
    productId: product.id,
    filter: { endpointId },
    before: null,
    limit: NEWEST,
  });
  const isReadOnly = frame.isTrial && !isLoopbackEndpoint(endpoint.url);
  const view = endpointPage({
    ...frame,
    ...(isReadOnly ? { isTrial: false, blockReason: LIVE_ENDPOINTS_WAIT } : {}),
    problem,
    endpoint,
    draft,
    outcomes: await readOutcomes(em, { endpointId, step: 'day', count: CHART_DAYS }),
    deliveries: lines.map((line) => withShownAddress(product, line)),
    secrets: arrival?.shown ? receivedSecrets(arrival.shown) : null,
    workflows: queryLink(context, { scope: 'endpoint', id: endpointId }),
  });
  return page(context, view, { status, headers, cookies: arrival?.cookies ?? [] });
}

/** Leads to the endpoint's page, which shows them once. */
export function showSecrets(context: ProductCall, target: Target, secrets: Secrets) {
  return showOnce(context, { path: endpointPath(target), id: target.endpointId, shown: secrets });
}

/** The secrets as JSON brings them. */
type SentSecrets = Pick<Secrets, 'current'> & {
  previous: { secret: string; until: string } | null;
};

function receivedSecrets({ current, previous }: SentSecrets): Secrets {
  return { current, previous: previous && { ...previous, until: new Date(previous.until) } };
}

async function listEndpoints({ services }: ProductCall, product: ManagedProduct) {
  const endpoints = await listProductEndpoints(services.database.em(), product.id);
  return endpoints.map((endpoint) => withShownAddress(product, endpoint));
}

async function readFrame(context: ProductCall, product: ManagedProduct) {
  return {
    product,
    now: await now(context.services.database.em()),
    ...decideEndpointRights(context, product),
    formToken: sessionFormToken(context),
  };
}
