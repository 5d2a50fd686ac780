// What ends or moves under money that is on its way: the account, the product, its owner.
import { closeActivationsOfExcluded } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import {
  withdrawAllAccess,
  withdrawRemoved,
} from '../../../domain/entitlements/withdraw-all-access.repository.ts';
import { erasePerson, lockPerson } from '../../../domain/identity/account.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import {
  closeCheckoutsOf,
  closeCheckoutsOfRemoved,
} from '../../../domain/billing/checkout/checkout.repository.ts';
import { closeMembershipsOf } from '../../../domain/billing/memberships/membership-billing.repository.ts';
import {
  closeSubscriptionsOf,
  closeSubscriptionsOfRemoved,
  notifyOfNewSeller,
} from '../../../domain/billing/product-subscriptions/subscription.repository.ts';
import { changeState } from '../catalog/lifecycle.ts';
import type { Owning } from './steps.ts';
import type { World } from './world.ts';

export function createOwners(
  { shop, database }: World,
  { personId, productId }: { personId: string; productId: string },
) {
  const change = database.transaction;
  const gone: { leftAt: Date | null; removedAt: Date | null } = { leftAt: null, removedAt: null };

  return {
    /** What comes later is no order. */
    gone,

    /** The buyer deletes the account. */
    async leave(): Promise<void> {
      await change(async (em) => {
        await closeSubscriptionsOf(em, personId);
        await closeMembershipsOf(em, personId);
        await withdrawAllAccess(em, personId);
        await lockPerson(em, personId);
        await closeSubscriptionsOf(em, personId);
        await closeMembershipsOf(em, personId);
        await closeCheckoutsOf(em, personId);
        await withdrawAllAccess(em, personId);
        await erasePerson(em, personId);
      });
      gone.leftAt ??= await now(database.em());
    },
    async remove(): Promise<void> {
      await change((em) => changeState(em, productId, 'remove'));
      gone.removedAt ??= await now(database.em());
    },
    unlist: () => change((em) => changeState(em, productId, 'unlist')),
    list: () => change((em) => changeState(em, productId, 'list')),

    async handOver(): Promise<void> {
      const teamId = newUuid();
      await shop.database.query('insert into team (id, name) values ($1, $2)', [teamId, 'T']);
      await shop.database.query(
        'update product set owner_person_id = null, owner_team_id = $1 where id = $2',
        [teamId, productId],
      );
      await change((em) => notifyOfNewSeller(em, productId));
    },

    /** As the worker does all the time. */
    async closeRemoved(): Promise<void> {
      while ((await change(closeCheckoutsOfRemoved)) > 0);
      while ((await change(closeSubscriptionsOfRemoved)) > 0);
      while ((await change(closeActivationsOfExcluded)) > 0);
      while ((await withdrawRemoved(database)) > 0);
    },
  };
}

export type Owners = ReturnType<typeof createOwners>;

export function own(owners: Owners, what: Owning): Promise<unknown> {
  return what === 'hand_over' ? owners.handOver() : owners[what]();
}
