// A subscription as the processor has it.

/** One period's bill, whether it was paid or not. */
export type ChargeReading = {
  /** Null where nothing had to be paid, or before the first try. */
  paymentIntentId: string | null;
  amountMinor: number;
  currency: string;
  /** `open`: tried without success, or not yet; `void`: nobody tries any more. */
  status: 'open' | 'clearing' | 'paid' | 'void';
  isFirst: boolean;
  periodStart: Date;
  periodEnd: Date;
  /** Null when the processor will not try again. */
  nextAttemptAt: Date | null;
};

export type SubscriptionReading = {
  processorId: string;
  /** `incomplete`: its first payment has not come. */
  status: 'incomplete' | 'active' | 'past_due' | 'ended';
  periodEnd: Date;
  isCancelAtPeriodEnd: boolean;
  endedAt: Date | null;
  /** The oldest first. */
  charges: ChargeReading[];
};

export type Agreed = { amountMinor: number; currency: string };

export function isAsAgreed(charge: Agreed, agreed: Agreed): boolean {
  return charge.amountMinor === agreed.amountMinor && charge.currency === agreed.currency;
}
