// The file of one month: its lines, and the bands that say how its amount came about.
import { writeAmount } from '../../../domain/shared/money.ts';
import type {
  PoolLineView,
  ProductMonth,
} from '../../../domain/pool/line/product-months.repository.ts';
import { writeCsv, type Cell } from '../../csv.ts';

const COLUMNS = [
  'product',
  'statement_month',
  'currency',
  'kind',
  'month_of_use',
  'amount',
  'amount_minor',
  'members',
  'qualified_days',
  'days_from',
  'days_to',
  'pots_minor',
  'days_in_all',
  'payout',
  'paid_at_utc',
  'pool_share_bps',
  'rule',
  'snapshot_sha256',
  'statement_sha256',
];

/** Bands are parts of the line before them: their kind is `band`. */
export function writeMonth(
  months: readonly ProductMonth[],
  product: { name: string },
): AsyncGenerator<string> {
  const rows = months.flatMap((month) =>
    month.lines.flatMap((line) => [
      cellsOf(month, { line, product }),
      ...bandsOf(month, { line, product }),
    ]),
  );
  return writeCsv([rows], { head: COLUMNS, line: (cells) => cells });
}

type Given = { line: PoolLineView; product: { name: string } };

function cellsOf(month: ProductMonth, { line, product }: Given): Cell[] {
  const { money } = line;
  const { terms, currency } = month;
  return [
    product.name,
    month.month,
    currency,
    line.isCorrection ? 'correction' : 'share',
    line.month,
    money && { exact: writeAmount(money.amountMinor, currency) },
    money && money.amountMinor,
    money && money.members,
    line.qualifiedDays,
    null,
    null,
    null,
    null,
    line.state,
    money?.payout?.paidAt?.toISOString() ?? null,
    terms.poolShareBps,
    terms.rule,
    terms.snapshotSha256,
    terms.statementSha256,
  ];
}

function bandsOf({ month, currency }: ProductMonth, { line, product }: Given): Cell[][] {
  return (line.money?.bands ?? []).map((band) => [
    product.name,
    month,
    currency,
    'band',
    line.month,
    { exact: writeAmount(Number(band.amountMinor), currency) },
    { exact: band.amountMinor },
    band.members,
    band.daysHere,
    band.daysFrom,
    band.daysTo,
    { exact: band.potsMinor },
    band.daysInAll,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
}
