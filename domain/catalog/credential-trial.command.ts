import type { EntityManager } from '../../platform/database/database.ts';
import { isRefusal, type Refusal } from '../shared/refusal.ts';
import {
  decideCredentialRights,
  type CredentialRefusal,
  type CredentialRights,
} from './credential-trial.ts';
import { holdManagedProduct, type ActingManager } from './product.repository.ts';

export type HeldRights = CredentialRights & { teamId: string | null };

/** Holds the rights to a product's keys and clients, and names its team, until the transaction ends. */
export async function holdCredentialRights(
  em: EntityManager,
  { productId, by }: { productId: string; by: ActingManager },
): Promise<HeldRights | Refusal<CredentialRefusal>> {
  const product = await holdManagedProduct(em, { manager: by, productId });
  const rights = decideCredentialRights(product, by);
  return isRefusal(rights) ? rights : { ...rights, teamId: product!.ownerTeamId };
}
