import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { isBarred, type Rights } from '../teams/suspension.ts';

/**
 * What a person may do with a product's keys, clients and endpoints. A trial covers test keys, and
 * clients and endpoints on loopback addresses.
 */
export type CredentialRights = { isTrial: boolean };

export type CredentialRefusal = 'not_found' | 'sold_elsewhere' | 'not_verified' | 'not_allowed';

type Product = Rights & { delivery: string; state: string };

/** Decides the rights: a builder with a confirmed address has a trial before the verification. */
export function decideCredentialRights(
  product: Product | null,
  { isEmailVerified }: { isEmailVerified: boolean },
): CredentialRights | Refusal<CredentialRefusal> {
  if (product === null || product.state === 'removed') return refuse('not_found');
  if (product.delivery !== 'entitlement_api') return refuse('sold_elsewhere');
  const { roles } = product;
  if (isAllowed(roles, 'integrate') && !isBarred(product, 'integrate')) return { isTrial: false };
  if (isEmailVerified && isAllowed(roles, 'try_out')) return { isTrial: true };
  return refuse(roles.includes('lone_builder') ? 'not_verified' : 'not_allowed');
}
