import { minorUnitDigits } from '../../domain/platform/money.ts';

/** Where Stripe counts in other units than ISO 4217 (docs.stripe.com/currencies, special cases). */
const STRIPE_DIGITS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 };

/** Exact, or a RangeError: an amount that the processor cannot charge is never rounded. */
export function toProcessorAmount(amountMinor: number, currency: string): number {
  if (!isChargeable(amountMinor, currency)) {
    throw new RangeError(`the processor has no smaller unit for amounts in ${currency}`);
  }
  return scale(amountMinor, currency);
}

/** Whether the processor has a unit small enough for the amount. */
export function isChargeable(amountMinor: number, currency: string): boolean {
  return Number.isSafeInteger(scale(amountMinor, currency));
}

/** Rounded down where the processor has no smaller unit. */
export function toProcessorFee(feeMinor: number, currency: string): number {
  return Math.floor(scale(feeMinor, currency));
}

export function fromProcessorAmount(amount: number, currency: string): number {
  return Math.floor(amount / 10 ** shiftOf(currency));
}

/** Divided where the processor's unit is larger: a product with 0.01 would not be exact. */
function scale(amountMinor: number, currency: string): number {
  const shift = shiftOf(currency);
  return shift < 0 ? amountMinor / 10 ** -shift : amountMinor * 10 ** shift;
}

function shiftOf(currency: string): number {
  const iso = minorUnitDigits(currency);
  return (STRIPE_DIGITS[currency] ?? iso) - iso;
}
