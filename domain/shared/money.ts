import currencyCodes from 'currency-codes';
import { refuse, type Refusal } from './refusal.ts';

/** The limit of the price table. */
const LARGEST_AMOUNT_MINOR = 999_999_999_999n;

/** Funds codes, test codes and metals: in ISO 4217, but no prices exist in them. */
const NOT_MONEY = /^(XXX|XTS|X(AU|AG|PT|PD)|XB[ABCD]|XDR|XSU|XUA)$/;

export function isCurrencyCode(code: string): boolean {
  return /^[A-Z]{3}$/.test(code) && !NOT_MONEY.test(code) && currencyCodes.code(code) !== undefined;
}

/** Minor-unit digits by ISO 4217: 2 for USD, 0 for JPY, 3 for KWD. */
export function minorUnitDigits(currency: string): number {
  const entry = currencyCodes.code(currency);
  if (!entry) throw new Error(`not an ISO 4217 code: ${currency}`);
  return entry.digits;
}

/** Writes an amount for people: `1,204.50 USD`. */
export function formatMoney(amountMinor: number, currency: string): string {
  return `${groupAmount(amountMinor, currency)} ${currency}`;
}

/** Writes an amount without its currency, its thousands apart: `−1,204.50`. */
export function groupAmount(amountMinor: number, currency: string): string {
  return writeAmount(amountMinor, currency)
    .replace('-', '−')
    .replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

/** Writes an amount as a person types it: `12.50`. */
export function writeAmount(amountMinor: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  const sign = amountMinor < 0 ? '-' : '';
  const text = String(Math.abs(amountMinor)).padStart(digits + 1, '0');
  return sign + (digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`);
}

export type AmountProblem = 'not_an_amount' | 'not_positive' | 'too_precise' | 'too_large';

/**
 * Parses an amount in units of the currency, `12.50`, into minor units: exactly, or not at all. A
 * fraction that the currency does not have is refused, never rounded.
 */
export function parseAmount(
  typed: string,
  currency: string,
): { amountMinor: number } | Refusal<AmountProblem> {
  const [, sign, whole, point = '', fraction = ''] =
    /^(-?)(\d{1,30})(?:(\.)(\d{1,30}))?$/.exec(typed.trim()) ?? [];
  if (whole === undefined) return refuse('not_an_amount');
  const digits = minorUnitDigits(currency);
  if (fraction.length > digits || (point !== '' && digits === 0)) return refuse('too_precise');
  const amount = BigInt(whole + fraction.padEnd(digits, '0'));
  if (sign === '-' || amount === 0n) return refuse('not_positive');
  return amount > LARGEST_AMOUNT_MINOR ? refuse('too_large') : { amountMinor: Number(amount) };
}

/** floor(gross x basis points / 10,000), in minor units. */
export function platformCutMinor(grossMinor: number, basisPoints: number): number {
  return Number((BigInt(grossMinor) * BigInt(basisPoints)) / 10_000n);
}
