// A price as a person has typed it into a form.
import {
  chargeLimits,
  validateCharge,
  type ChargeProblem,
} from '../../../clients/processor/amounts.ts';
import {
  formatMoney,
  isCurrencyCode,
  minorUnitDigits,
  parseAmount,
  type AmountProblem,
} from '../../../domain/shared/money.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';

export type PriceProblems = { currency?: string; amount?: string };

const UNKNOWN = 'Enter an ISO 4217 currency code, such as USD.';
export const NOT_ENABLED = 'This currency is not enabled.';

const AMOUNT_SENTENCES: Record<AmountProblem, string> = {
  not_an_amount: 'Enter an amount such as 12.50.',
  not_positive: 'Enter an amount above zero.',
  too_precise: 'This amount has too many decimals.',
  too_large: 'This amount is too large.',
};

/** The amount as typed, or the validation message. */
export function validatePrice({
  currency,
  amount,
}: {
  currency: string;
  amount: string;
}): { currency: string; amountMinor: number } | { problems: PriceProblems } {
  if (!isCurrencyCode(currency)) return { problems: { currency: UNKNOWN } };
  const parsed = parseAmount(amount, currency);
  if (isRefusal(parsed)) {
    const digits = minorUnitDigits(currency);
    const sentence = AMOUNT_SENTENCES[parsed.refused];
    const isFraction = parsed.refused === 'too_precise';
    return { problems: { amount: isFraction ? `${sentence} ${fraction(digits)}` : sentence } };
  }
  const problem = validateCharge(parsed.amountMinor, currency);
  if (problem) return { problems: { amount: describeLimit(problem, currency) } };
  return { currency, ...parsed };
}

/** The amount range of the processor. */
export function describeLimit(problem: ChargeProblem, currency: string): string {
  const { min, max, step } = chargeLimits(currency);
  if (problem === 'too_small') return `The smallest amount is ${formatMoney(min, currency)}.`;
  if (problem === 'too_large') return `The largest amount is ${formatMoney(max, currency)}.`;
  return `The amount must be a multiple of ${formatMoney(step, currency)}.`;
}

function fraction(digits: number): string {
  return digits === 0 ? 'This currency has no decimals.' : `This currency has ${digits} decimals.`;
}
