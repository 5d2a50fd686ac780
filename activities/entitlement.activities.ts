import { applyElapsedTime, type AccessKey } from '../domain/entitlements/entitlement.repository.ts';
import { activateBySignIn } from '../domain/entitlements/memberships/activated-products.repository.ts';
import type { Services } from './services.ts';

export function createEntitlementActivities({ database }: Services) {
  return {
    /**
     * Activates a product that a member signed in to, announces what time has changed, and returns
     * the time until the next change.
     */
    async settleEntitlement(key: AccessKey) {
      const { productId, personId } = key;
      const { access, remainingMs } = await database.transaction(async (em) => {
        await activateBySignIn(em, { productId, personId });
        return applyElapsedTime(em, { productId, personId });
      });
      return { isActive: access.isActive, remainingMs };
    },
  };
}
