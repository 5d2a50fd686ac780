// Amounts in the processor's units and limits (docs.stripe.com/currencies).
import { minorUnitDigits } from '../../domain/shared/money.ts';

/** Currencies that Stripe counts in other units than ISO 4217 (special cases). */
const STRIPE_DIGITS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 };

/** Currencies of card charges. */
const KNOWN = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF
  CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG
  HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK
  MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
  RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND
  VUV WST XAF XCD XOF XPF YER ZAR ZMW`.split(/\s+/),
);

/**
 * The smallest charge in the processor's units. In other currencies it depends on the rate of the
 * day.
 */
const LEAST: Record<string, number> = {
  AED: 200,
  AUD: 50,
  BGN: 100,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  CZK: 1_500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  INR: 50,
  JPY: 50,
  MXN: 1_000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PLN: 200,
  RON: 200,
  SEK: 300,
  SGD: 50,
  THB: 1_000,
  USD: 50,
};

const MOST = 99_999_999;
const MOST_IN: Record<string, number> = {
  COP: 9_999_999_999,
  HUF: 9_999_999_999,
  IDR: 999_999_999_999,
  INR: 999_999_999,
};

/** Whole units where older versions had two decimals; with three decimals the last one is 0. */
function stepOf(currency: string): number {
  if (currency === 'ISK' || currency === 'UGX') return 100;
  return minorUnitDigits(currency) === 3 ? 10 : 1;
}

export function isKnownToProcessor(currency: string): boolean {
  return KNOWN.has(currency);
}

export type ChargeProblem = 'too_small' | 'too_large' | 'no_such_step';

/** The processor's problem with a charge in its own units, or null. */
export function validateProcessorAmount(amount: number, currency: string): ChargeProblem | null {
  if (!Number.isSafeInteger(amount) || amount % stepOf(currency) !== 0) return 'no_such_step';
  if (amount < (LEAST[currency] ?? 1)) return 'too_small';
  return amount > (MOST_IN[currency] ?? MOST) ? 'too_large' : null;
}

export function validateCharge(amountMinor: number, currency: string): ChargeProblem | null {
  return validateProcessorAmount(scale(amountMinor, currency), currency);
}

/** Returns minor units: the step of charges and refunds, and the smallest and largest charge. */
export function chargeLimits(currency: string): { min: number; max: number; step: number } {
  const unit = 10 ** -shiftOf(currency);
  const step = Math.max(1, stepOf(currency) * unit);
  return {
    step,
    min: Math.max(step, (LEAST[currency] ?? 1) * unit),
    max: Math.floor((MOST_IN[currency] ?? MOST) * unit),
  };
}

/** Exact, or a RangeError: an amount that the processor cannot charge is never rounded. */
export function toProcessorAmount(amountMinor: number, currency: string): number {
  if (!isChargeable(amountMinor, currency)) {
    throw new RangeError(`the processor has no smaller unit for amounts in ${currency}`);
  }
  return scale(amountMinor, currency);
}

/** True when the processor has a unit small enough; a refund needs nothing more. */
export function isChargeable(amountMinor: number, currency: string): boolean {
  return amountMinor % chargeLimits(currency).step === 0;
}

/** Rounded down to the processor's smallest unit. */
export function toProcessorFee(feeMinor: number, currency: string): number {
  const fee = Math.floor(scale(feeMinor, currency));
  return fee - (fee % stepOf(currency));
}

export function fromProcessorAmount(amount: number, currency: string): number {
  return Math.floor(amount / 10 ** shiftOf(currency));
}

/** Divided when the processor's unit is larger: a product with 0.01 would not be exact. */
function scale(amountMinor: number, currency: string): number {
  const shift = shiftOf(currency);
  return shift < 0 ? amountMinor / 10 ** -shift : amountMinor * 10 ** shift;
}

function shiftOf(currency: string): number {
  const iso = minorUnitDigits(currency);
  return (STRIPE_DIGITS[currency] ?? iso) - iso;
}
