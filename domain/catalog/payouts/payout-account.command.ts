import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { CLOCK } from '../../../platform/database/expressions.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { closeCheckoutsOfSeller } from '../../billing/checkout/checkout.repository.ts';
import { notifyOfPayouts } from '../../billing/notices/money-notices.repository.ts';
import { notifyOfReadyAccount } from '../../billing/product-subscriptions/subscription.repository.ts';
import { mailOwners } from '../../notifications/recipients.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { decideProductRights, type RightsRefusal } from '../../teams/suspension.ts';
import { holdManagedProduct, type ActingManager } from '../product.repository.ts';
import { PayoutAccount } from '../product.entity.ts';
import {
  addPayoutAccount,
  lockPayoutAccount,
  recordPayoutStatus,
  type PayoutStatus,
  type Seller,
} from './payout-account.repository.ts';

const NEEDED = 'connect_payouts';

type Connection = PayoutStatus & {
  productId: string;
  seller: Seller;
  /** The account that the processor made. */
  account: string;
  by: ActingManager;
};

/** Connects the first payout account of a seller; refuses when another request was first. */
export async function connectPayoutAccount(
  em: EntityManager,
  { productId, by, ...added }: Connection,
): Promise<{ account: string } | Refusal<RightsRefusal | 'already_connected'>> {
  return inTransaction(em, async (em) => {
    const { account } = added;
    const held = await holdManagedProduct(em, { manager: by, productId });
    const product = decideProductRights(held, NEEDED);
    if (isRefusal(product)) return product;
    if (!(await addPayoutAccount(em, added))) return refuse('already_connected');
    const entry = { by, productId, teamId: added.seller.ownerTeamId, subject: account };
    await recordAudit(em, { ...entry, action: 'payouts.connected' });
    await mailOwners(em, 'payouts_connected', { productId });
    return { account };
  });
}

type Refresh = PayoutStatus & {
  productId: string;
  teamId: string | null;
  account: string;
  /** The time before the processor was asked. */
  askedAt: Date;
  by: Actor;
};

/** Records a payout account's status; refuses one that a later reading or a replacement overtook. */
export async function refreshPayoutStatus(
  em: EntityManager,
  { productId, teamId, by, ...status }: Refresh,
): Promise<{ couldCharge: boolean } | Refusal<'outdated'>> {
  return inTransaction(em, async (em) => {
    const { account, canCharge } = status;
    const recorded = await recordPayoutStatus(em, status);
    if (!recorded) return refuse('outdated');
    const { couldCharge } = recorded;
    await notifyOfPayouts(em, { ...status, couldCharge });
    if (!couldCharge && canCharge) await notifyOfReadyAccount(em, account);
    const detail = { can_charge: canCharge, before: couldCharge };
    const entry = { by, productId, teamId, subject: account, detail };
    await recordAudit(em, { ...entry, action: 'payouts.refreshed' });
    return recorded;
  });
}

type Replacement = PayoutStatus & {
  productId: string;
  /** The current account at the processor, and the one that takes its place. */
  replaced: string;
  account: string;
  by: Actor & { personId: string };
};

/**
 * Replaces the payout account of the product's owner: the former account gets nothing new from now
 * on, even while the new one cannot charge. Its payouts of the pool that are under way stay. Of two
 * replacements of one account, the second is refused.
 */
export async function replacePayoutAccount(
  em: EntityManager,
  { productId, replaced, account, canCharge, isSubmitted, by }: Replacement,
): Promise<{ account: string } | Refusal<'not_current' | 'not_allowed'>> {
  return inTransaction(em, async (em) => {
    const current = await lockPayoutAccount(em, replaced);
    if (!current) return refuse('not_current');
    const manager = { personId: by.personId, isOperator: false };
    const held = await holdManagedProduct(em, { manager, productId });
    const product = decideProductRights(held, NEEDED);
    if (isRefusal(product)) return refuse('not_allowed');
    const { ownerPersonId, ownerTeamId: teamId } = product;
    // The product was transferred meanwhile.
    if (current.personId !== ownerPersonId || current.teamId !== teamId) {
      return refuse('not_current');
    }
    await em.nativeUpdate(PayoutAccount, { id: current.id }, { replacedAt: CLOCK });
    const added = await addPayoutAccount(em, { seller: product, account, canCharge, isSubmitted });
    if (!added) throw new Error(`the payout account ${account} was connected before`);
    await closeCheckoutsOfSeller(em, product);
    if (canCharge) await notifyOfReadyAccount(em, account);
    const entry = { by, productId, teamId, subject: account, detail: { replaced } };
    await recordAudit(em, { ...entry, action: 'payouts.replaced' });
    await mailOwners(em, 'payouts_connected', { productId });
    return { account };
  });
}
