// What a person may do with endpoints: before the verification, manage those on loopback addresses.
import { lockWithOwner } from '../../../domain/catalog/ownership/ownership.repository.ts';
import {
  findManagedProduct,
  type ManagedProduct,
} from '../../../domain/catalog/product.repository.ts';
import { refuse, type Refusal } from '../../../domain/shared/refusal.ts';
import {
  findEndpointUrl,
  type EndpointKey,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { HttpError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import {
  credentialRightsOf,
  integrationBlockReason,
  type CredentialRights,
  type ProductCall,
} from '../managed-product.ts';

const MOVED = 'The product has just been transferred. Try again.';

/** There is no trial where webhooks cannot reach this machine. */
export function endpointRightsOf(
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

/**
 * The same, as it stays until the transaction ends: a verification, a change of a role and a transfer
 * wait for the row of the owner.
 */
export async function holdEndpointRights(
  em: EntityManager,
  context: ProductCall,
  productId: string,
): Promise<CredentialRights> {
  if ((await lockWithOwner(em, productId)) === null) {
    throw new HttpError('forbidden', { message: MOVED });
  }
  const product = await findManagedProduct(em, { manager: context.currentUser, ref: productId });
  if (!product || product.state === 'removed') throw new HttpError('not_found');
  const rights = endpointRightsOf(context, product);
  if (rights.blockReason) throw new HttpError('forbidden', { message: rights.blockReason });
  return rights;
}

/**
 * Holds the rights for a change of one endpoint, whose URL waits for the same lock. Refused where the
 * endpoint is not on a loopback address and the builder is not verified.
 */
export async function holdEndpoint(
  em: EntityManager,
  context: ProductCall,
  key: EndpointKey,
): Promise<Pick<CredentialRights, 'isTrial'> | Refusal<'not_found' | 'live'>> {
  const { isTrial } = await holdEndpointRights(em, context, key.productId);
  const url = await findEndpointUrl(em, key);
  if (url === null) return refuse('not_found');
  return isTrial && !isLoopbackEndpoint(url) ? refuse('live') : { isTrial };
}
