import {
  grantAccess,
  withdrawGrant,
} from '../../../domain/entitlements/grants/grant.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { decideAttribution } from '../../../domain/billing/checkout/attribution.ts';
import {
  attachSession,
  findOpenCheckout,
  replaceCheckout,
} from '../../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../../domain/billing/checkout/record-checkout.repository.ts';
import { BILLING_INTERVALS } from '../../../domain/billing/recurring/billing-interval.ts';
import { requestRefund } from '../../../domain/billing/refunds/request-refund.repository.ts';
import type { addProduct } from '../catalog/scene.ts';
import type { World } from './world.ts';

type Scene = Awaited<ReturnType<typeof addProduct>>;
type Price = Scene['price'];

/** With a session lost, we died between the processor's answer and our commit. */
export type Buying = { isReplacing: boolean; isSessionLost: boolean };

const DAY_MS = 86_400_000;

/** What a buyer and a seller do with us; what they made is listed. */
export function createPeople({ shop, database }: World, { personId, productId }: Scene) {
  const key = { personId, productId };
  const sessions: string[] = [];
  const purchases: string[] = [];
  const lostSessions: string[] = [];
  const grants: string[] = [];

  return {
    sessions,
    purchases,
    lostSessions,

    async buy(price: Price, { isReplacing, isSessionLost }: Buying) {
      const open = await findOpenCheckout(database.em(), key);
      if (open && !isReplacing) return;
      if (open) await database.transaction((em) => replaceCheckout(em, open));
      const intent = { ...key, price, attribution: decideAttribution(null) };
      const made = await database.transaction((em) => recordCheckout(em, intent));
      if (!made || isRefusal(made)) return;
      const { checkoutId, purchaseId } = made;
      purchases.push(purchaseId);
      const { amountMinor, currency } = price;
      const interval = BILLING_INTERVALS[price.kind];
      const recurring = interval && { interval };
      const input = shop.input({ checkoutId, purchaseId, amountMinor, currency, recurring });
      const session = await shop.processor.openCheckout(input);
      sessions.push(session.sessionId);
      if (isSessionLost) {
        lostSessions.push(session.sessionId);
        return;
      }
      await database.transaction((em) => attachSession(em, checkoutId, session));
    },

    async refund(purchaseId: string, amountMinor: number): Promise<void> {
      const request = { refundId: newPublicId('re_'), purchaseId, amountMinor, requestedBy: null };
      await database.transaction((em) => requestRefund(em, { ...request, reason: 'duplicate' }));
    },

    /** For so many days, or for good. */
    async grant(days: number | null): Promise<void> {
      const at = await now(database.em());
      const endsAt = days === null ? null : new Date(at.getTime() + days * DAY_MS);
      const period = { startsAt: null, endsAt, grantedBy: personId };
      const made = await database.transaction((em) => grantAccess(em, key, period));
      if (!isRefusal(made)) grants.push(made.grantId);
    },

    async withdraw(): Promise<void> {
      const grantId = grants.pop();
      if (!grantId) return;
      await database.transaction((em) => withdrawGrant(em, { productId, grantId }));
    },
  };
}
