import { z } from 'zod';
import { now } from '../../../platform/database/database.ts';
import {
  findProductPeriods,
  listProductPeriods,
  readProductPeriods,
  type PoolLineView,
  type ProductPeriod,
} from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { PERIOD_ID, PERIOD_ID_LENGTH } from '../../../domain/pool/period/pool-month.ts';
import { cursor, given, matching } from '../../http/fields.ts';
import { csvQuery, encodeFor, writeCsv, type Cell } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { loadSold, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { requireMonth } from '../usage/usage-month.ts';
import { poolMonthPage } from './pool-month.page.ts';
import { poolPage } from './pool.page.ts';
import { writeAmount } from '../../../domain/shared/money.ts';

const PATH = '/console/products/:ref/pool';

const query = z.object({
  before: cursor(matching(PERIOD_ID, PERIOD_ID_LENGTH)).catch(null),
});

const monthRef = productRef.extend({ month: given(7) });

const showPool = defineRoute({
  ...SOLD_PAGE,
  path: PATH,
  summary: 'Show what the creator pool gave to the product',
  input: { params: productRef, query },
  async handler(context) {
    const em = context.services.database.em();
    const product = await loadSold(context, 'see_statements');
    const { before } = context.query;
    const found = await listProductPeriods(em, { productId: product.id, before });
    return page(context, poolPage({ product, ...found, before, now: await now(em) }));
  },
});

const downloadPool = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/lines.csv`,
  summary: 'Download all months of the creator pool as CSV',
  input: { params: productRef, query: csvQuery },
  async handler(context) {
    const { database } = context.services;
    const product = await loadSold(context, 'see_statements');
    const periods = readProductPeriods(() => database.em(), product.id);
    return csv(
      `${product.slug}-pool.csv`,
      encodeFor(context.query, writePeriods(periods, product)),
    );
  },
});

const showPoolMonth = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month`,
  summary: 'Show the statement of a month of the creator pool',
  input: { params: monthRef },
  async handler(context) {
    const { product, month, found } = await loadMonth(context);
    return page(context, poolMonthPage({ product, month, found }));
  },
});

const downloadPoolMonth = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/:month/lines.csv`,
  summary: 'Download a month of the creator pool as CSV',
  input: { params: monthRef, query: csvQuery },
  async handler(context) {
    const { product, month, found } = await loadMonth(context);
    return csv(
      `${product.slug}-pool-${month}.csv`,
      encodeFor(context.query, writeMonth(found, product)),
    );
  },
});

async function loadMonth(context: ProductCall & { params: { month: string } }) {
  const em = context.services.database.em();
  const product = await loadSold(context, 'see_statements');
  const month = requireMonth(context.params.month, await now(em));
  return { product, month, found: await findProductPeriods(em, { productId: product.id, month }) };
}

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
function writePeriods(batches: Batches, product: Product): AsyncGenerator<string> {
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
function writeMonth(periods: readonly ProductPeriod[], product: Product): AsyncGenerator<string> {
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

export const routes = [showPool, downloadPool, showPoolMonth, downloadPoolMonth];
