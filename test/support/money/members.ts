import { activateProduct } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  attachMemberSession,
  findOpenMembership,
  openMembership,
  replaceMembership,
} from '../../../domain/billing/memberships/membership-billing.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import { priceMember } from '../subscriptions/memberships.ts';
import type { Buying } from './people.ts';
import type { World } from './world.ts';

type Of = { personId: string; productId: string; sessions: string[] };

/** What a person does about what is renewed: Member, and subscriptions to the product. */
export async function createSubscriber(world: World, { sessions, ...key }: Of) {
  const { shop, database } = world;
  const { personId } = key;
  const price = await priceMember({ database, testDatabase: shop.database });

  /** Null where there is another one that runs, or is being opened. */
  async function openAnother(isReplacing: boolean): Promise<string | null> {
    const open = await findOpenMembership(database.em(), personId);
    if (open && !isReplacing) return null;
    if (open) await replaceMembership(database.em(), open);
    const made = await database.transaction((em) => openMembership(em, { personId, price }));
    return made === null || isRefusal(made) ? null : made.membershipId;
  }

  return {
    async join({ isReplacing, isSessionLost }: Buying): Promise<void> {
      const membershipId = await openAnother(isReplacing);
      if (membershipId === null) return;
      const { amountMinor, currency, billingInterval: interval } = price;
      const money = { amountMinor, currency, payoutAccount: null, recurring: { interval } };
      const named = { checkoutId: membershipId, purchaseId: undefined, membershipId };
      const session = await shop.processor.openCheckout(shop.input({ ...named, ...money }));
      sessions.push(session.sessionId);
      if (!isSessionLost) await attachMemberSession(database.em(), membershipId, session);
    },

    open: () => database.transaction((em) => activateProduct(em, key)),

    async requestChange(workflowId: string, change: RequestedChange): Promise<void> {
      const [kind, id = ''] = workflowId.split(':');
      await database.transaction((em) =>
        kind === 'membership'
          ? requestChange(em, { membershipId: id, change })
          : requestChange(em, { subscriptionId: id, change }),
      );
    },

    /** Who follows what is renewed, by their workflows' ids. */
    async actors(): Promise<string[]> {
      const found = await shop.database.query<{ id: string }>(
        `select 'subscription:' || id as id from subscription
           where person_id = $1 and product_id = $2
         union all select 'membership:' || id from membership where person_id = $1 order by id`,
        [personId, key.productId],
      );
      return found.map(({ id }) => id);
    },
  };
}
