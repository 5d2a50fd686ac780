// What somebody was shown before they paid is what has to be paid.

export type Money = { amountMinor: number; currency: string };

export function isAsAgreed(paid: Money, agreed: Money): boolean {
  return paid.amountMinor === agreed.amountMinor && paid.currency === agreed.currency;
}
