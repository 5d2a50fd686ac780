import { isAllowed } from '../teams/permissions.ts';
import { isBarred, type Rights } from '../teams/suspension.ts';

/**
 * What a person may do with a product's keys, clients and endpoints. A trial covers test keys, and
 * clients and endpoints on loopback addresses.
 */
export type CredentialRights = 'full' | 'trial' | 'none';

type Product = Rights & { delivery: string };

/** Decides the rights: a builder with a confirmed address has a trial before the verification. */
export function decideCredentialRights(
  product: Product,
  { isEmailVerified }: { isEmailVerified: boolean },
): CredentialRights {
  if (product.delivery !== 'entitlement_api') return 'none';
  if (isAllowed(product.roles, 'integrate') && !isBarred(product, 'integrate')) return 'full';
  return isEmailVerified && isAllowed(product.roles, 'try_out') ? 'trial' : 'none';
}
