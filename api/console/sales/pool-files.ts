// The CSV files of a product's pool: all periods, and one month with the bands of its lines.
import { writeAmount } from '../../../domain/shared/money.ts';
import type {
  PoolLineView,
  ProductPeriod,
} from '../../../domain/pool/line/product-periods.repository.ts';
import { writeCsv, type Cell } from '../../http/csv.ts';

const LINE_COLUMNS = [
  'product',
  'statement_month',
  'currency',
  'kind',
  'month_of_use',
  'amount',
  'amount_minor',
  'members',
  'qualified_days',
];

type Product = { name: string };
type Batches = Iterable<ProductPeriod[]> | AsyncIterable<ProductPeriod[]>;

/** A row for each line of each period; amounts of a period in review are empty. */
export function writePeriods(batches: Batches, product: Product): AsyncGenerator<string> {
  return writeCsv(flatten(batches), {
    head: [...LINE_COLUMNS, 'payout_status', 'paid_at_utc', 'payout_id'],
    line: ({ period, line }) => [
      ...lineCells(period, { line, product }),
      line.state,
      toPaidAt(line),
      line.money?.payout?.id ?? null,
    ],
  });
}

type OfPeriod = { period: ProductPeriod; line: PoolLineView };

async function* flatten(batches: Batches): AsyncGenerator<OfPeriod[]> {
  for await (const periods of batches) {
    yield periods.flatMap((period) => period.lines.map((line) => ({ period, line })));
  }
}

const MONTH_COLUMNS = [
  ...LINE_COLUMNS,
  'days_from',
  'days_to',
  'pots_minor',
  'days_in_all',
  'payout_status',
  'paid_at_utc',
  'pool_share_bps',
  'rule',
  'snapshot_sha256',
  'statement_sha256',
];

/** The cells of a line where a band has its days and pots, and those of a band after them. */
const NO_BAND: null[] = [null, null, null, null];
const NO_STATEMENT: null[] = [null, null, null, null, null, null];

/** One month, for each currency. Bands are parts of the line before them: their kind is `band`. */
export function writeMonth(
  periods: readonly ProductPeriod[],
  product: Product,
): AsyncGenerator<string> {
  const rows = periods.flatMap((period) =>
    period.lines.flatMap((line) => [
      statementCells(period, { line, product }),
      ...bandRows(period, { line, product }),
    ]),
  );
  return writeCsv([rows], { head: MONTH_COLUMNS, line: (cells) => cells });
}

type ProductLine = { line: PoolLineView; product: Product };

function lineCells({ month, currency }: ProductPeriod, { line, product }: ProductLine): Cell[] {
  const { money } = line;
  return [
    product.name,
    month,
    currency,
    line.isCorrection ? 'correction' : 'share',
    line.month,
    money && { exact: writeAmount(money.amountMinor, currency) },
    money && money.amountMinor,
    money && money.members,
    line.qualifiedDays,
  ];
}

function toPaidAt({ money }: PoolLineView): string | null {
  return money?.payout?.paidAt?.toISOString() ?? null;
}

function statementCells(period: ProductPeriod, { line, product }: ProductLine): Cell[] {
  const { poolShareBps, rule, snapshotSha256, statementSha256 } = period.terms;
  return [
    ...lineCells(period, { line, product }),
    ...NO_BAND,
    line.state,
    toPaidAt(line),
    poolShareBps,
    rule,
    snapshotSha256,
    statementSha256,
  ];
}

function bandRows({ month, currency }: ProductPeriod, { line, product }: ProductLine): Cell[][] {
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
    ...NO_STATEMENT,
  ]);
}
