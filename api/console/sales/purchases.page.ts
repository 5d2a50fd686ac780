import { html, type HtmlSafeString } from '@prairielearn/html';
import type { SaleLine } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import {
  MOST_COUNTED,
  SALE_STATES,
  type SaleCounts,
  type SaleState,
} from '../../../domain/billing/purchases/sale-state.ts';
import type { Statement } from '../../../domain/billing/ledger/seller-statement.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import type { View } from '../../http/route.ts';
import { csvButtons } from '../../html/csv-links.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField, select } from '../../html/parts/field.ts';
import { OFFER_NAMES } from '../../html/offer-labels.ts';
import { figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { totalOf } from '../../html/parts/tabs.ts';
import { writeCapped } from '../../html/numbers.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { statementsPath } from './statement-labels.ts';
import {
  campaignOf,
  purchasesPath,
  salePill,
  splitCharge,
  STATE_WORDS,
  writeSource,
} from './purchase-labels.ts';

/** The state is null, and the texts are empty, where nothing is left out. */
type Filter = { state: SaleState | null; find: string; month: string };

type Props = {
  product: FramedProduct;
  sales: SaleLine[];
  counts: SaleCounts;
  filter: Filter;
  /** The months to choose from. */
  months: string[];
  before: string | null;
  next: string | null;
  /** What was booked in the month, a statement for each currency; null where a role may not see it. */
  statements: Statement[] | null;
  mayExport: boolean;
};

export const LONGEST_FIND = 30;

export function purchasesPage(props: Props): View {
  const { product, counts, filter, mayExport } = props;
  const path = purchasesPath(product.slug);
  const isEmpty = counts.all + counts.unfinished === 0 && filter.month === '';
  const query = toQuery(filter);
  const actions =
    mayExport && !isEmpty
      ? csvButtons(pathWith(`${productPath(product.slug)}/purchases.csv`, query))
      : '';
  return {
    title: `Purchases of ${product.name}`,
    ...productFrame(product, '/purchases', 'Purchases', { actions }),
    content: html`${isEmpty ? '' : totals(props)} ${list(props, { path, isEmpty })}`,
  };
}

function toQuery({ state, ...texts }: Filter) {
  return { state: state ?? undefined, ...texts };
}

/** The money of this month, each currency by itself. */
function totals({ product, statements }: Props): HtmlSafeString | '' {
  if (statements === null || statements.length === 0) return '';
  const month = statements[0]!.month;
  const path = `${statementsPath(product.slug)}/${month}`;
  const value = (amountOf: (statement: Statement) => number) =>
    html`${statements.map(
      (statement) => html`<div>${money(amountOf(statement), statement.currency)}</div>`,
    )}`;
  return figures([
    { name: `Paid, ${writeMonth(month)}`, value: value(({ sums }) => sums.gross), path },
    {
      name: 'Refunds and disputes',
      value: value(({ sums }) => sums.refund + sums.reversal + sums.chargeback),
      path,
    },
    { name: 'You receive', value: value(({ netMinor }) => netMinor), path },
  ]);
}

function list(props: Props, { path, isEmpty }: { path: string; isEmpty: boolean }): HtmlSafeString {
  const { product, sales, filter, before, next } = props;
  const tabs = states(props, path);
  return listCard({
    ...(!isEmpty && {
      tabs,
      filter: filters(props, path),
      unfiltered: path,
    }),
    label: 'Purchases',
    rows: sales,
    columns: columns(path),
    pages: { path, query: toQuery(filter), before, next, total: totalOf(tabs) },
    empty: {
      title: 'No purchases yet',
      sentence: 'A purchase appears here as soon as its checkout begins.',
      link: { path: `${productPath(product.slug)}/share`, label: 'Get a buy link' },
    },
    ...(sales.some(({ kind }) => kind !== 'one_time') && { foot: LAST_CHARGE }),
  });
}

function states({ counts, filter }: Props, path: string) {
  const pathOf = (state: SaleState | null) => pathWith(path, toQuery({ ...filter, state }));
  // The counts are those of all buyers. All leaves out checkouts that were never paid, so their tab
  // has a count only while it is open: those of the others add up to that of All.
  const isCounted = (state: SaleState | 'all') =>
    filter.find === '' && (state !== 'unfinished' || filter.state === state);
  const countOf = (state: SaleState | 'all') =>
    isCounted(state) ? { count: writeCapped(counts[state], MOST_COUNTED) } : {};
  const shown = SALE_STATES.filter((each) => each !== 'failed' || counts.failed > 0);
  return {
    label: 'States',
    current: pathOf(filter.state),
    tabs: [
      { path: pathOf(null), label: 'All', ...countOf('all') },
      ...shown.map((each) => ({ path: pathOf(each), label: STATE_WORDS[each], ...countOf(each) })),
    ],
  };
}

const LAST_CHARGE = html`The amounts of a subscription are those of its last charge.`;

function filters({ filter, months }: Props, path: string): HtmlSafeString {
  const { state, find, month } = filter;
  const fields = [
    searchField({
      label: 'Handle of the buyer, or purchase id',
      name: 'find',
      value: find,
      maxLength: LONGEST_FIND,
      placeholder: 'Handle or pay_...',
      isBare: true,
    }),
    select({
      label: 'Started in',
      name: 'month',
      value: month,
      options: [
        { value: '', label: 'All time' },
        ...months.map((each) => ({ value: each, label: writeMonth(each) })),
      ],
      isBare: true,
    }),
    ...(state === null ? [] : [html`<input type="hidden" name="state" value="${state}" />`]),
  ];
  return filterForm({ path, fields, isFiltered: find !== '' || month !== '' });
}

function columns(path: string) {
  return {
    Buyer: ({ handle, purchaseId }: SaleLine) =>
      html`<a href="${path}/${purchaseId}">@${handle}</a>`,
    Offer: { cell: ({ kind }: SaleLine) => OFFER_NAMES[kind], onPhone: 'drop' as const },
    State: { cell: salePill, onPhone: 'state' as const },
    'Came from': { cell: source, onPhone: 'drop' as const },
    Amount: {
      cell: ({ amountMinor, currency }: SaleLine) => money(amountMinor, currency),
      isNumber: true,
    },
    'You receive': { cell: received, isNumber: true },
    'Started (UTC)': {
      cell: ({ createdAt }: SaleLine) => shortInstant(createdAt),
      isNumber: true,
    },
  };
}

function source(sale: SaleLine): HtmlSafeString {
  const campaign = campaignOf(sale);
  const isSaid = campaign === null || campaign === sale.serviceSource;
  return html`${writeSource(sale)}${isSaid ? '' : html`<br /><small>${campaign}</small>`}`;
}

function received(sale: SaleLine): HtmlSafeString | string {
  const charge = splitCharge(sale);
  return charge === null ? '–' : money(charge.receivedMinor, sale.currency);
}
