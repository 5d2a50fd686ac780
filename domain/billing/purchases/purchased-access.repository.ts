import { addGrant } from '../../entitlements/entitlement.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { issueReceipt } from '../receipts/receipt.repository.ts';
import type { Money } from './payment-status.ts';
import type { PurchaseRow } from './purchase.entity.ts';

type Purchased = {
  purchase: PurchaseRow;
  paid: Money;
  type: 'purchase' | 'subscription';
  at: Date;
};

/**
 * Grants the access of a purchase that was paid as agreed, with its event and its receipt. Call it
 * between lockAccess and storeAccess.
 */
export async function grantPurchased(
  em: EntityManager,
  { purchase, paid, type, at }: Purchased,
): Promise<void> {
  const { id: purchaseId, personId, productId } = purchase;
  const data = {
    purchase_id: purchaseId,
    user_id: personId,
    product_id: productId,
    gross_minor: paid.amountMinor,
    currency: paid.currency,
  };
  await recordEvent(em, { productId, name: 'purchase.completed', data });
  await issueReceipt(em, purchaseId);
  const grant = { type, source: purchaseId, startsAt: at, endsAt: null };
  await addGrant(em, { productId, personId }, grant);
}
