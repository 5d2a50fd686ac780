import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Issue } from '../../../domain/catalog/diagnose.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { Requirement } from '../../../domain/billing/checkout/sale-requirements.ts';
import type { LatestSale } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import type { OverviewDays } from '../../../domain/product-figures/overview.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { shortInstant } from '../../html/dates.ts';
import { OFFER_NAMES } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { segmentLinks } from '../../html/parts/choice.ts';
import { changeOf, figures as strip, type Figure } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { needs } from '../../html/parts/needs.ts';
import { writeCount, writePercentage } from '../../html/numbers.ts';
import { table } from '../../html/table.ts';
import { halves } from '../../html/parts/beside.ts';
import { writeFailingDeliveries, toNeed as issueToNeed } from '../requests/issue-row.ts';
import { purchasesPath, salePill } from '../sales/purchase-labels.ts';
import { statementsPath } from '../sales/statement-labels.ts';
import {
  checksChart,
  customersChart,
  deliveriesChart,
  revenueChart,
  type OverviewFigures,
} from './overview-charts.ts';
import { toNeed } from './sale-checklist.ts';
import { productFrame, productPath } from '../console-frame.ts';

type Props = {
  product: ManagedProduct;
  requirements: Requirement[];
  /** What is failing now, and what is missing or will be due. */
  issues: Issue[];
  failing: Issue[];
  shown: OverviewFigures;
  /** The person may see sums of money. */
  seesMoney: boolean;
  sales: LatestSale[];
  now: Date;
};

const SPANS: readonly OverviewDays[] = [7, 28, 90];

export function overviewPage(props: Props): View {
  const { product, failing } = props;
  const isNew = isUnused(props);
  return {
    title: product.name,
    ...productFrame(product, '', 'Overview', { actions: actions(props, isNew) }),
    content: html`
      ${failing.length === 0 ? '' : failingNow(props)} ${isNew ? '' : figuresOf(props)}
      ${firstSteps(props)} ${isNew ? beginning(props) : charts(props)}
    `,
  };
}

/** Nothing was ever sold, asked or delivered: charts would be empty. */
function isUnused({ shown: { figures }, sales }: Props): boolean {
  const { days } = figures;
  return (
    sales.length === 0 &&
    figures.currencies.length === 0 &&
    days.every(
      ({ customers, open, locked, accepted, retried, failing }) =>
        customers + open + locked + accepted + retried + failing === 0,
    )
  );
}

function actions({ product, shown, seesMoney }: Props, isNew: boolean): HtmlSafeString {
  const { days, currency, figures } = shown;
  const path = productPath(product.slug);
  const to = (span: number, code: string) => `${path}?days=${span}&currency=${code}`;
  const codes = [...new Set([currency, ...figures.currencies])].toSorted();
  return html`${
    isNew || !seesMoney || codes.length < 2
      ? ''
      : segmentLinks(
          'Currency',
          codes.map((code) => ({
            path: to(days, code),
            label: code,
            isCurrent: code === currency,
          })),
        )
  }
  ${
    isNew
      ? ''
      : segmentLinks(
          'Days',
          SPANS.map((span) => ({
            path: to(span, currency),
            label: `${span} days`,
            isCurrent: span === days,
          })),
        )
  }
  ${button({
    text: product.state === 'draft' ? 'Preview' : 'View in store',
    href: `/p/${product.slug}`,
    isExternal: true,
  })}`;
}

function failingNow({ product, failing }: Props): HtmlSafeString {
  return html`<div data-failing>
    ${card({
      title: 'What needs you',
      rows: needs(failing.map((issue) => issueToNeed(product, issue))),
    })}
  </div>`;
}

function figuresOf({ product, shown, seesMoney, issues }: Props): HtmlSafeString {
  const { strips } = shown.figures;
  const failing = writeFailingDeliveries(issues);
  const path = productPath(product.slug);
  const { revenue, customers, checks, deliveries } = strips;
  // Today is not over: its sum would look like a fall.
  const untilToday = (series: number[]) => series.slice(0, -1);
  const each: (Figure | null)[] = [
    seesMoney
      ? {
          name: 'Revenue',
          value: money(revenue.value, shown.currency),
          change: changeOf(revenue.change, writePercentage),
          spark: untilToday(revenue.series),
          path: statementsPath(product.slug),
        }
      : null,
    {
      name: 'Customers with access',
      value: writeCount(customers.value),
      change: changeOf(customers.change, writeCount, { up: 'more', down: 'fewer' }),
      spark: customers.series,
      path: `${path}/grants`,
    },
    {
      name: 'Access checks',
      value: writeCount(checks.value),
      change: changeOf(checks.change, writePercentage),
      spark: untilToday(checks.series),
      path: `${path}/usage`,
    },
    {
      name: 'Deliveries accepted',
      value: deliveries.value === null ? 'None yet' : writePercentage(deliveries.value),
      change:
        failing !== null
          ? { words: `${failing} failing now`, tone: 'bad' as const }
          : changeOf(deliveries.change, (change) => `${change} points`),
      spark: untilToday(deliveries.series),
      path: `${path}/deliveries`,
    },
  ];
  return strip(each.filter((figure) => figure !== null));
}

/** Ticks nothing beside something that fails: only what is still to be done is shown. */
function firstSteps({ product, requirements, failing }: Props): HtmlSafeString | '' {
  const next = requirements.find(({ isMet }) => !isMet);
  if (next === undefined) return '';
  const listed = failing.length === 0 ? requirements : requirements.filter(({ isMet }) => !isMet);
  const done = requirements.filter(({ isMet }) => isMet).length;
  const steps = listed.flatMap((each) => toNeed(product, each, each === next) ?? []);
  return card({
    title: 'Until the first sale',
    facts: `${done} of ${requirements.length} done`,
    rows: needs(steps),
  });
}

function charts(props: Props): HtmlSafeString {
  const { product, shown, seesMoney, failing } = props;
  return html`${seesMoney ? revenueChart(product.slug, shown) : ''}
  ${halves(html`${checksChart(shown)} ${deliveriesChart(shown)}`)}
  ${halves(html`
    ${customersChart(shown)} ${failing.length === 0 ? upcoming(props) : latest(props)}
  `)}
  ${failing.length === 0 ? latest(props) : ''}`;
}

/** Stands in place of charts that would be empty. */
function beginning({ product, requirements }: Props): HtmlSafeString | '' {
  if (requirements.some(({ isMet }) => !isMet)) return '';
  const path = productPath(product.slug);
  return product.delivery === 'entitlement_api'
    ? emptyState({
        title: 'Ready to sell',
        sentence: 'Figures appear with the first purchase or the first access check.',
        link: { path: `${path}/share`, label: 'Share the product' },
      })
    : emptyState({
        title: 'Listed in the store',
        sentence: 'This product is sold elsewhere, so there are no figures of it here.',
        link: { path: `${path}/listing`, label: 'Edit the listing' },
      });
}

function upcoming({ product, issues }: Props): HtmlSafeString {
  return card({
    title: 'What needs you',
    rows: needs(
      issues.length === 0
        ? [{ tone: 'ok', title: 'Nothing needs you', line: 'Nothing fails, and nothing is due.' }]
        : issues.map((issue) => issueToNeed(product, issue)),
    ),
  });
}

function latest({ product, sales, now }: Props): HtmlSafeString {
  const path = purchasesPath(product.slug);
  return card({
    title: 'Latest purchases',
    actions: html`<a href="${path}">All purchases</a>`,
    ...(sales.length === 0 && { body: html`<p class="hint">Nobody has bought it yet.</p>` }),
    rows:
      sales.length === 0
        ? html``
        : table({
            label: 'Latest purchases',
            rows: sales,
            empty: '',
            columns: {
              Buyer: ({ purchaseId, handle, kind }: LatestSale) =>
                html`<a href="${path}/${purchaseId}">@${handle}</a><br /><small
                    >${OFFER_NAMES[kind]}</small
                  >`,
              State: { onPhone: 'state', cell: salePill },
              Amount: {
                isNumber: true,
                cell: ({ amountMinor, currency }) => money(amountMinor, currency),
              },
              'Started (UTC)': {
                isNumber: true,
                cell: ({ createdAt }) => shortInstant(createdAt, now),
              },
            },
          }),
  });
}
