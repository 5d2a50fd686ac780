// The buyer pays what the checkout showed.

export type Money = { amountMinor: number; currency: string };

export function isSameMoney(paid: Money, agreed: Money): boolean {
  return paid.amountMinor === agreed.amountMinor && paid.currency === agreed.currency;
}

/** The statuses of a payment whose money arrived, returned or not. */
export const RECEIVED_STATUSES = ['succeeded', 'partially_refunded', 'refunded'] as const;
