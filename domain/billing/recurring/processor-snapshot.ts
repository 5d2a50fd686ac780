// A subscription as the processor reports it.

/** The bill of one period, paid or not. */
export type ChargeReading = {
  /** Is null when nothing had to be paid, or before the first try. */
  paymentIntentId: string | null;
  amountMinor: number;
  currency: string;
  /** `open`: tried without success, or not tried yet; `void`: not tried any more. */
  status: 'open' | 'clearing' | 'paid' | 'void';
  isFirst: boolean;
  periodStart: Date;
  periodEnd: Date;
  /** How often the processor has tried to charge it by itself. */
  attempts: number;
  /** Is null when the processor will not try again. */
  nextAttemptAt: Date | null;
};

export type SubscriptionReading = {
  processorId: string;
  /** `incomplete`: the first payment has not arrived. */
  status: 'incomplete' | 'active' | 'past_due' | 'ended';
  periodEnd: Date;
  isCancelAtPeriodEnd: boolean;
  endedAt: Date | null;
  /** The payout account; null when the money stays with the platform. */
  payoutAccount?: string | null;
  /** The oldest first. */
  charges: ChargeReading[];
};

type PeriodStart = { periodStart: Date | null };

/**
 * The period that a charge paid for. Before the first period is known there is no other; a charge
 * for a later period than any accepted one belongs to none.
 */
export function decidePeriodOf(
  charge: PeriodStart,
  subscription: PeriodStart,
): 'current' | 'older' | 'beyond' {
  const charged = charge.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  const current = subscription.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (charged === current) return 'current';
  return charged < current ? 'older' : 'beyond';
}
