// The CSV files of a product's pool: all months, and one month with the bands of its lines.
import { writeAmount } from '../../../domain/shared/money.ts';
import type {
  PoolLineView,
  ProductMonth,
} from '../../../domain/pool/line/product-months.repository.ts';
import { writeCsv, type Cell } from '../../csv.ts';

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
type Batches = Iterable<ProductMonth[]> | AsyncIterable<ProductMonth[]>;

/** A row for each line of each month; amounts of a month in review are empty. */
export function writeMonths(batches: Batches, product: Product): AsyncGenerator<string> {
  return writeCsv(flatten(batches), {
    head: [...LINE_COLUMNS, 'payout', 'paid_at_utc', 'payout_id'],
    line: ({ month, line }) => [
      ...lineCells(month, { line, product }),
      line.state,
      paidAtOf(line),
      line.money?.payout?.id ?? null,
    ],
  });
}

type OfMonth = { month: ProductMonth; line: PoolLineView };

async function* flatten(batches: Batches): AsyncGenerator<OfMonth[]> {
  for await (const months of batches) {
    yield months.flatMap((month) => month.lines.map((line) => ({ month, line })));
  }
}

const MONTH_COLUMNS = [
  ...LINE_COLUMNS,
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

/** The cells of a line where a band has its days and pots, and those of a band after them. */
const NO_BAND: null[] = [null, null, null, null];
const NO_STATEMENT: null[] = [null, null, null, null, null, null];

/** One month, for each currency. Bands are parts of the line before them: their kind is `band`. */
export function writeMonth(
  months: readonly ProductMonth[],
  product: Product,
): AsyncGenerator<string> {
  const rows = months.flatMap((month) =>
    month.lines.flatMap((line) => [
      statementCells(month, { line, product }),
      ...bandRows(month, { line, product }),
    ]),
  );
  return writeCsv([rows], { head: MONTH_COLUMNS, line: (cells) => cells });
}

type Given = { line: PoolLineView; product: Product };

function lineCells({ month, currency }: ProductMonth, { line, product }: Given): Cell[] {
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

function paidAtOf({ money }: PoolLineView): string | null {
  return money?.payout?.paidAt?.toISOString() ?? null;
}

function statementCells(month: ProductMonth, { line, product }: Given): Cell[] {
  const { poolShareBps, rule, snapshotSha256, statementSha256 } = month.terms;
  return [
    ...lineCells(month, { line, product }),
    ...NO_BAND,
    line.state,
    paidAtOf(line),
    poolShareBps,
    rule,
    snapshotSha256,
    statementSha256,
  ];
}

function bandRows({ month, currency }: ProductMonth, { line, product }: Given): Cell[][] {
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
