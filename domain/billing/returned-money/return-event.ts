// The event about money that came back, by a refund or by a lost dispute.
import type { ReturnedAmount } from './decide-returned-purchase.ts';

type Returned = {
  purchase: { id: string; productId: string; personId: string };
  /** The last move was the bank's decision. */
  isChargeback: boolean;
};

/** Names the charge when it is outside of the current period. */
export type ChargeName = { payment_id?: string };

/** A lost dispute is announced as a refund with `chargeback: true`. */
export function toReturnEvent(
  { purchase, isChargeback }: Returned,
  { grossMinor, returnedMinor, currency }: ReturnedAmount & { currency: string },
  named: ChargeName = {},
) {
  const { id, productId, personId } = purchase;
  return {
    productId,
    name: returnedMinor >= grossMinor ? 'purchase.refunded' : 'purchase.partially_refunded',
    data: {
      purchase_id: id,
      user_id: personId,
      product_id: productId,
      gross_minor: grossMinor,
      refunded_minor: Math.min(returnedMinor, grossMinor),
      currency,
      chargeback: isChargeback,
      ...named,
    },
  } as const;
}
