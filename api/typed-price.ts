// A price as somebody has typed it into a form.
import { isChargeable } from '../activities/clients/processor-amounts.ts';
import {
  isCurrencyCode,
  minorUnitDigits,
  parseAmount,
  type AmountProblem,
} from '../domain/platform/money.ts';
import { isRefusal } from '../domain/platform/refusal.ts';

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
  if (!isChargeable(parsed.amountMinor, currency)) {
    return {
      problems: { amount: 'The payment processor takes whole units of this currency only.' },
    };
  }
  return { currency, ...parsed };
}

function fraction(digits: number): string {
  return digits === 0 ? 'It has whole units only.' : `It has ${digits} digits after the point.`;
}
