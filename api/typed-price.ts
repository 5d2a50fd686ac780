// A price as somebody has typed it into a form.
import { chargeLimits, judgeCharge, type ChargeProblem } from '../clients/processor/amounts.ts';
import {
  formatMoney,
  isCurrencyCode,
  minorUnitDigits,
  parseAmount,
  type AmountProblem,
} from '../domain/shared/money.ts';
import { isRefusal } from '../domain/shared/refusal.ts';

export type PriceProblems = { currency?: string; amount?: string };

const UNKNOWN = 'This is not a currency of ISO 4217, such as USD.';
export const NOT_ENABLED = 'Nothing is sold in this currency here.';

const AMOUNT_SENTENCES: Record<AmountProblem, string> = {
  not_an_amount: 'Give an amount with digits and at most one point: 12.50',
  not_positive: 'A price is more than nothing.',
  too_precise: 'The currency has no such fraction.',
  too_large: 'This is more than can be charged.',
};

/** What was typed, exactly; or what is wrong with it, in place. */
export function judgePrice({
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
  const problem = judgeCharge(parsed.amountMinor, currency);
  if (problem) return { problems: { amount: describeLimit(problem, currency) } };
  return { currency, ...parsed };
}

/** What the processor takes in place of an amount. */
export function describeLimit(problem: ChargeProblem, currency: string): string {
  const { min, max, step } = chargeLimits(currency);
  if (problem === 'too_small') return `The smallest amount is ${formatMoney(min, currency)}.`;
  if (problem === 'too_large') return `The largest amount is ${formatMoney(max, currency)}.`;
  return `The payment processor takes steps of ${formatMoney(step, currency)} only.`;
}

function fraction(digits: number): string {
  return digits === 0 ? 'It has whole units only.' : `It has ${digits} digits after the point.`;
}
