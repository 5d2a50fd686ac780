import { settleClock, type AccessKey } from '../domain/entitlements/entitlement.repository.ts';
import { openBySignIn } from '../domain/entitlements/memberships/activation.repository.ts';
import type { Services } from './index.ts';

export function createEntitlementActivities({ database }: Services) {
  return {
    /** Opens what a member has signed in to, announces what time has changed, and tells how long until it changes access again. */
    async settleEntitlement(
      key: AccessKey,
    ): Promise<{ isActive: boolean; remainingMs: number | null }> {
      const { productId, personId } = key;
      const { union, remainingMs } = await database.transaction(async (em) => {
        await openBySignIn(em, { productId, personId });
        return settleClock(em, { productId, personId });
      });
      return { isActive: union.isActive, remainingMs };
    },
  };
}
