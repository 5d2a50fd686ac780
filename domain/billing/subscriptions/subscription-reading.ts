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
  /** Where its money is passed on to; null where it stays with the platform. */
  payoutAccount?: string | null;
  /** The oldest first. */
  charges: ChargeReading[];
};

type Charged = { periodStart: Date | null };

/**
 * Which period of a subscription a charge has paid for. Before the first one is known there is no
 * other; what was charged for a later one than was ever accepted is no part of it.
 */
export function decidePeriodOf(
  charge: Charged,
  subscription: Charged,
): 'current' | 'older' | 'beyond' {
  const charged = charge.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  const current = subscription.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (charged === current) return 'current';
  return charged < current ? 'older' : 'beyond';
}
