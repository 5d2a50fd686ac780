// A seller's entries, summed by months of UTC.
import { addMonths, monthOf } from '../../shared/instant.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { EntryKind } from './booking.ts';

/** The kinds of a seller's entries in the order of a statement; a loss is the platform's alone. */
export const SELLER_KINDS = [
  'gross',
  'cut',
  'refund',
  'reversal',
  'cut_returned',
  'chargeback',
  'dispute_fee',
] as const satisfies readonly EntryKind[];

export type SellerKind = (typeof SELLER_KINDS)[number];

/** The sum of one month, currency and kind; money taken from the seller is negative. */
export type KindSum = {
  month: string;
  currency: string;
  kind: SellerKind;
  sumMinor: number;
  entries: number;
};

export type Statement = ReturnType<typeof emptyStatement>;

/** One statement for each month and currency with bookings, by currency and month. */
export function composeStatements(found: readonly KindSum[]): Statement[] {
  const made = new Map<string, Statement>();
  for (const { month, currency, kind, sumMinor, entries } of found) {
    const key = `${currency} ${month}`;
    const statement = made.get(key) ?? emptyStatement(month, currency);
    statement.sums[kind] += sumMinor;
    statement.netMinor += sumMinor;
    if (kind === 'gross') statement.payments += entries;
    made.set(key, statement);
  }
  const keys = [...made.keys()].toSorted();
  return keys.map((key) => made.get(key)!);
}

/** A month without bookings. */
export function emptyStatement(month: string, currency: string) {
  const sums = Object.fromEntries(SELLER_KINDS.map((kind) => [kind, 0]));
  return { month, currency, payments: 0, sums: sums as Record<SellerKind, number>, netMinor: 0 };
}

/** The parts add up to the gross; a return in a later month makes its part negative there. */
export function splitGross({ sums, netMinor }: Statement): Record<GrossPart, number> {
  const { cut, cut_returned: returned, refund, reversal, chargeback, dispute_fee: fee } = sums;
  return {
    net: netMinor,
    cut: 0 - cut - returned,
    back: 0 - refund - reversal - chargeback,
    fees: 0 - fee,
  };
}

export const GROSS_PARTS = ['net', 'cut', 'back', 'fees'] as const;

export type GrossPart = (typeof GROSS_PARTS)[number];

export type Month = { name: string; from: Date; to: Date };

/** `2026-11`, and not a month that has yet to begin. */
export function decideMonth(name: string, now: Date): Month | Refusal<'not_a_month' | 'not_begun'> {
  const [, year, month] = /^(2\d{3})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined || month === undefined) return refuse('not_a_month');
  const from = new Date(Date.UTC(Number(year), Number(month) - 1));
  const to = new Date(Date.UTC(Number(year), Number(month)));
  return from > now ? refuse('not_begun') : { name, from, to };
}

/** The names of `count` months that end with the given one. */
export function monthsUpTo({ from }: Month, count: number): string[] {
  return Array.from({ length: count }, (_, index) => monthOf(addMonths(from, index + 1 - count)));
}
