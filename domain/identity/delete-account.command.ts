import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { closeCheckoutsOf } from '../billing/checkout/checkout.repository.ts';
import { closeMembershipsOf } from '../billing/memberships/membership-billing.repository.ts';
import { closeSubscriptionsOf } from '../billing/product-subscriptions/subscription.repository.ts';
import { isNeededAsOwner } from '../catalog/owner.repository.ts';
import { withdrawAllAccess } from '../entitlements/withdraw-all-access.repository.ts';
import { endAuthorizations } from '../oauth/connected-apps.command.ts';
import { LateRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { forgetInvitations } from '../teams/invitation.repository.ts';
import { leaveTeams, lockTeamsOf } from '../teams/team.repository.ts';
import { erasePerson, lockPerson } from './account.repository.ts';

/**
 * Deletes an account that no product or team needs as its owner. Locks the person last, in the order
 * of grants and consents. The second round removes access and consents given before that lock.
 */
export async function deleteAccount(
  em: EntityManager,
  personId: string,
): Promise<{ deleted: true } | Refusal<'needed_as_owner' | 'became_owner'>> {
  return inTransaction(em, async (em) => {
    if (await isNeededAsOwner(em, personId)) return refuse('needed_as_owner');
    await endAuthorizations(em, personId);
    await closeSubscriptionsOf(em, personId);
    await closeMembershipsOf(em, personId);
    await withdrawAllAccess(em, personId);
    await lockTeamsOf(em, personId);
    await lockPerson(em, personId);
    // A team that added the person before the lock is visible now. No team can add the person after
    // the lock.
    await lockTeamsOf(em, personId);
    if (await isNeededAsOwner(em, personId)) throw new LateRefusal('became_owner');
    // Closes subscriptions opened before the lock; a checkout locks the person's row.
    await closeSubscriptionsOf(em, personId);
    await closeMembershipsOf(em, personId);
    await closeCheckoutsOf(em, personId);
    await endAuthorizations(em, personId);
    await leaveTeams(em, personId);
    await forgetInvitations(em, personId);
    await withdrawAllAccess(em, personId);
    await erasePerson(em, personId);
    return { deleted: true };
  });
}
