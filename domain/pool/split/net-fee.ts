import { addMonths, monthOf } from '../../shared/instant.ts';
import { BILLING_MONTHS, type BillingInterval } from '../../billing/recurring/billing-interval.ts';
import { platformCutMinor } from '../../shared/money.ts';

/** A charge of Member that succeeded, and what is known of it so far. */
export type MemberCharge = {
  grossMinor: number;
  /** Is null while the payment processor has not named it. */
  processorFeeMinor: number | null;
  /** Refunds that succeeded and lost disputes. */
  returnedMinor: number;
  interval: BillingInterval;
  succeededAt: Date;
};

/** Charge minus processor's fee minus refunds. Below zero the loss is the platform's alone. */
export function netFeeMinor(charge: Omit<MemberCharge, 'interval' | 'succeededAt'>): number {
  const { grossMinor, processorFeeMinor, returnedMinor } = charge;
  return Math.max(0, grossMinor - (processorFeeMinor ?? 0) - returnedMinor);
}

/**
 * The part of a charge's net fee that belongs to a month, `2026-11`: a monthly charge wholly to the
 * month of its success, a yearly one in twelve parts to that month and the next eleven. Units that
 * do not divide go to the earliest months.
 */
export function feeOfMonthMinor(charge: MemberCharge, month: string): number {
  const months = BILLING_MONTHS[charge.interval];
  const place = monthsOf(charge).indexOf(month);
  if (place === -1) return 0;
  const netMinor = netFeeMinor(charge);
  const left = netMinor % months;
  return (netMinor - left) / months + (place < left ? 1 : 0);
}

/** The months that a charge belongs to; a refund of it corrects those that are frozen. */
export function monthsOf({
  interval,
  succeededAt,
}: Pick<MemberCharge, 'interval' | 'succeededAt'>): string[] {
  return Array.from({ length: BILLING_MONTHS[interval] }, (_, place) =>
    monthOf(addMonths(succeededAt, place)),
  );
}

/** floor(net fee of the month x share / 10,000); the rest of the fee is the platform's. */
export function potMinor(netMinor: number, poolShareBps: number): number {
  return platformCutMinor(netMinor, poolShareBps);
}
