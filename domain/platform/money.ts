import currencyCodes from 'currency-codes';

/** What products are sold in, where their builder has set a price in it. */
export const ENABLED_CURRENCIES = ['USD', 'BRL', 'EUR', 'GBP'];

/** Funds codes, test codes and metals: in ISO 4217, but nothing is priced in them. */
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

/** For a person to read: `12.50 USD`. */
export function formatMoney(amountMinor: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  const text = String(amountMinor).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${digits === 0 ? text : `${whole}.${text.slice(-digits)}`} ${currency}`;
}

/** floor(gross x basis points / 10,000), in minor units. */
export function platformCutMinor(grossMinor: number, basisPoints: number): number {
  return Number((BigInt(grossMinor) * BigInt(basisPoints)) / 10_000n);
}
