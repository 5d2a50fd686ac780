import { minorUnitDigits } from '../../domain/platform/money.ts';

/** Where Stripe counts in other units than ISO 4217 (docs.stripe.com/currencies, special cases). */
const STRIPE_DIGITS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 };

/** Exact, or a RangeError: an amount that the processor cannot charge is never rounded. */
export function toProcessorAmount(amountMinor: number, currency: string): number {
  const amount = amountMinor * 10 ** shiftOf(currency);
  if (!Number.isSafeInteger(amount)) {
    throw new RangeError(`the processor has no smaller unit for amounts in ${currency}`);
  }
  return amount;
}

/** Rounded down where the processor has no smaller unit. */
export function toProcessorFee(feeMinor: number, currency: string): number {
  return Math.floor(feeMinor * 10 ** shiftOf(currency));
}

export function fromProcessorAmount(amount: number, currency: string): number {
  return Math.floor(amount / 10 ** shiftOf(currency));
}

function shiftOf(currency: string): number {
  const iso = minorUnitDigits(currency);
  return (STRIPE_DIGITS[currency] ?? iso) - iso;
}
