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
import { csvQuery, writeCsv, type Columns } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { loadSold, SOLD_PAGE, type ProductCall } from '../managed-product.ts';
import { requireMonth } from '../requested-month.ts';
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
    return csv(`${product.slug}-pool.csv`, writePeriods(periods, product), context.query);
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
    return csv(`${product.slug}-pool-${month}.csv`, writeLines(found, product), context.query);
  },
});

async function loadMonth(context: ProductCall & { params: { month: string } }) {
  const em = context.services.database.em();
  const product = await loadSold(context, 'see_statements');
  const { name: month } = requireMonth(context.params.month, await now(em));
  return { product, month, found: await findProductPeriods(em, { productId: product.id, month }) };
}

type Band = NonNullable<PoolLineView['money']>['bands'][number];

/** A line of a period, or a band of it: the bands of a line come after it, and are parts of it. */
type Row = { productName: string; period: ProductPeriod; line: PoolLineView; band: Band | null };

const LINE: Columns<Row> = {
  product: ({ productName }) => productName,
  statement_month: ({ period }) => period.month,
  currency: ({ period }) => period.currency,
  kind: ({ line, band }) => (band ? 'band' : line.isCorrection ? 'correction' : 'share'),
  month_of_use: ({ line }) => line.month,
  amount: ({ period, line: { money }, band }) =>
    money && {
      exact: writeAmount(band ? Number(band.amountMinor) : money.amountMinor, period.currency),
    },
  amount_minor: ({ line: { money }, band }) =>
    band ? { exact: band.amountMinor } : money && money.amountMinor,
  members: ({ line: { money }, band }) => (band ?? money)?.members ?? null,
  qualified_days: ({ line, band }) => (band ? band.daysHere : line.qualifiedDays),
};

const PAYOUT: Columns<Row> = {
  payout_status: ({ line, band }) => (band ? null : line.state),
  paid_at_utc: ({ line, band }) =>
    band ? null : (line.money?.payout?.paidAt?.toISOString() ?? null),
};

/** A row for each line of each period; amounts of a period in review are empty. */
function writePeriods(batches: AsyncIterable<ProductPeriod[]>, { name }: { name: string }) {
  return writeCsv(flatten(batches, name), {
    ...LINE,
    ...PAYOUT,
    payout_id: ({ line }) => line.money?.payout?.id ?? null,
  });
}

async function* flatten(batches: AsyncIterable<ProductPeriod[]>, productName: string) {
  for await (const periods of batches) {
    yield periods.flatMap((period): Row[] =>
      period.lines.map((line) => ({ productName, period, line, band: null })),
    );
  }
}

/** One month, for each currency. */
function writeLines(periods: readonly ProductPeriod[], { name: productName }: { name: string }) {
  const rows = periods.flatMap((period) =>
    period.lines.flatMap((line): Row[] => [
      { productName, period, line, band: null },
      ...(line.money?.bands ?? []).map((band) => ({ productName, period, line, band })),
    ]),
  );
  const readTerm = (name: keyof ProductPeriod['terms']) => (row: Row) =>
    row.band ? null : row.period.terms[name];
  return writeCsv([rows], {
    ...LINE,
    days_from: ({ band }) => band?.daysFrom ?? null,
    days_to: ({ band }) => band?.daysTo ?? null,
    pots_minor: ({ band }) => (band ? { exact: band.potsMinor } : null),
    days_in_all: ({ band }) => band?.daysInAll ?? null,
    ...PAYOUT,
    pool_share_bps: readTerm('poolShareBps'),
    rule: readTerm('rule'),
    snapshot_sha256: readTerm('snapshotSha256'),
    statement_sha256: readTerm('statementSha256'),
  });
}

export const routes = [showPool, downloadPool, showPoolMonth, downloadPoolMonth];
