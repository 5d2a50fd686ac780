import { addMonths, monthOf } from '../../domain/shared/instant.ts';
import { z } from 'zod';
import { decideMonth } from '../../domain/billing/ledger/seller-statement.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { given } from '../http/fields.ts';
import { HttpError } from '../http/errors.ts';

export const monthQuery = z.object({ month: given(7).default('') });

const REFUSALS = {
  not_a_month: 'Enter a month such as 2026-11.',
  not_begun: 'This month has not started yet.',
};

/** The month that the page is asked for, or else the running one. */
export function requireMonth(name: string, at: Date) {
  const month = decideMonth(name || monthOf(at), at);
  if (!isRefusal(month)) return month;
  throw new HttpError('invalid_request', { message: REFUSALS[month.refused], param: 'month' });
}

const RECENT_MONTHS = 4;

/** The months to choose from, the newest first: recent ones, and those that are known. */
export function listMonths(at: Date, known: readonly string[]): string[] {
  const recent = Array.from({ length: RECENT_MONTHS }, (_, index) =>
    monthOf(addMonths(at, -index)),
  );
  return [...new Set([...recent, ...known])].toSorted().toReversed();
}
