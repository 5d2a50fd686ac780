import type { EntityManager } from '../../../platform/database/database.ts';
import { CLOCK } from '../../../platform/database/expressions.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { closeCheckoutsOfSeller } from '../../billing/checkout/checkout.repository.ts';
import { notifyOfReadyAccount } from '../../billing/product-subscriptions/subscription.repository.ts';
import { mailOwners } from '../../notifications/recipients.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { isAllowed } from '../../teams/permissions.ts';
import { isBarred } from '../../teams/suspension.ts';
import { holdManagedProduct } from '../product.repository.ts';
import { PayoutAccount } from '../product.entity.ts';
import {
  addPayoutAccount,
  lockPayoutAccount,
  type PayoutStatus,
} from './payout-account.repository.ts';

type Input = PayoutStatus & {
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
  { productId, replaced, account, canCharge, isSubmitted, by }: Input,
): Promise<{ account: string } | Refusal<'not_current' | 'not_allowed'>> {
  const current = await lockPayoutAccount(em, replaced);
  if (!current) return refuse('not_current');
  const manager = { personId: by.personId, isOperator: false };
  const product = await holdManagedProduct(em, { manager, productId });
  const action = 'connect_payouts';
  if (!product || !isAllowed(product.roles, action) || isBarred(product, action)) {
    return refuse('not_allowed');
  }
  const { ownerPersonId, ownerTeamId: teamId } = product;
  // The product was transferred meanwhile.
  if (current.personId !== ownerPersonId || current.teamId !== teamId) return refuse('not_current');
  await em.nativeUpdate(PayoutAccount, { id: current.id }, { replacedAt: CLOCK });
  const added = await addPayoutAccount(em, { seller: product, account, canCharge, isSubmitted });
  if (!added) throw new Error(`the payout account ${account} was connected before`);
  await closeCheckoutsOfSeller(em, product);
  if (canCharge) await notifyOfReadyAccount(em, account);
  const detail = { replaced };
  await recordAudit(em, {
    by,
    action: 'payouts.replaced',
    subject: account,
    teamId,
    productId,
    detail,
  });
  await mailOwners(em, 'payouts_connected', { productId });
  return { account };
}
