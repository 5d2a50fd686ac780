import type { ProductDays } from '../split/pool-rule.ts';
import { daysIn } from '../split/counting-days.ts';
import { LineProblem, readLine } from './fields.ts';
import type { SnapshotHeader } from './snapshot-header.ts';
import type { SnapshotCorrection } from './snapshot-writer.ts';

export type CorrectionReceiver = { correction(change: SnapshotCorrection): void };

const FEE = ['correction_of', 'member', 'net_minor_after', 'net_minor_before'] as const;
const PRODUCT = [
  'correction_of',
  'member',
  'product',
  'qualified_days_after',
  'qualified_days_before',
] as const;

/** Reads the corrections of earlier months, which come before the Members of the month. */
export function createCorrectionReader(receiver: CorrectionReceiver, header: SnapshotHeader) {
  let open: SnapshotCorrection | null = null;
  let before: ProductDays[] = [];
  let after: ProductDays[] = [];
  let lastProduct = '';

  function finish(): void {
    if (open) receiver.correction(open);
    open = null;
  }

  function readFee(line: string): void {
    const read = readLine(line, FEE);
    const { correction_of: period, member } = read;
    if (!header.correctedPeriods.some((terms) => terms.period === period)) {
      throw new LineProblem(`${period} is not among the corrected periods of the first line`);
    }
    assertOrder(open ? `${open.period} ${open.member}` : '', `${period} ${member}`);
    finish();
    [before, after, lastProduct] = [[], [], ''];
    open = {
      period,
      member,
      before: { netMinor: Number(read.net_minor_before), products: before },
      after: { netMinor: Number(read.net_minor_after), products: after },
    };
  }

  function readProduct(line: string): void {
    const read = readLine(line, PRODUCT);
    const { product, member, correction_of: period } = read;
    if (open?.member !== member || open.period !== period) {
      throw new LineProblem('a product comes before the fee of its Member');
    }
    assertOrder(lastProduct, product);
    lastProduct = product;
    for (const [list, days] of [
      [before, Number(read.qualified_days_before)],
      [after, Number(read.qualified_days_after)],
    ] as const) {
      if (days > daysIn(period)) throw new LineProblem(`${days} days are more than ${period} has`);
      if (days > 0) list.push({ product, days });
    }
  }

  return {
    line: (line: string) => (line.includes('"product"') ? readProduct(line) : readFee(line)),
    finish,
  };
}

export function assertOrder(last: string, next: string): void {
  if (next > last) return;
  if (next === last) throw new LineProblem('the line repeats an earlier one');
  throw new LineProblem('the lines are not in order');
}
