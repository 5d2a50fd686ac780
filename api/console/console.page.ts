import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import type { NotificationLine } from '../../domain/notifications/notification.repository.ts';
import {
  HOME_DAYS,
  sumCustomers,
  sumRevenue,
  type ProductSummary,
  type Revenue,
} from '../../domain/product-figures/home-figures.ts';
import { isAllowed } from '../../domain/teams/permissions.ts';
import type { View } from '../http/route.ts';
import { appIcon } from '../html/emblems.ts';
import { shortInstant } from '../html/dates.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { icon } from '../html/icon.ts';
import { button } from '../html/parts/button.ts';
import { card } from '../html/parts/card.ts';
import { changeOf, figures as strip, sparkline, type Figure } from '../html/parts/figures.ts';
import { money } from '../html/parts/money.ts';
import { needs, type Need } from '../html/parts/needs.ts';
import { pill } from '../html/parts/pill.ts';
import { writePercentage, writePlural, writeCount } from '../html/numbers.ts';
import { sentenceCase } from '../html/sentence-case.ts';
import { PAYOUT_ACCOUNTS, productPill } from '../html/status-pills.ts';
import { table } from '../html/table.ts';
import { halves } from '../html/parts/beside.ts';
import { named } from '../html/parts/named.ts';
import { describeRoles, NOTIFICATIONS, productPath, teamPath } from './console-frame.ts';
import type { ConsoleScope } from './console-scope.ts';
import { describeNotification } from './notifications/notification-words.ts';
import type { FailingProduct } from './requests/find-issues.ts';
import { writeFailingDeliveries, toNeed } from './requests/issue-row.ts';
import { purchasesPath } from './sales/purchase-labels.ts';
import { consoleView, withOwner } from './team-frame.ts';

type Props = {
  scope: ConsoleScope;
  products: ManagedProduct[];
  /** Removed products, whose sales are still shown. */
  removed: ManagedProduct[];
  figures: Map<string, ProductSummary>;
  failing: FailingProduct[];
  latest: NotificationLine[];
  now: Date;
};

export function consolePage(props: Props): View {
  const { scope, products, removed, latest } = props;
  const isNew = products.length === 0 && latest.length === 0;
  const content = html`
    ${products.length === 0 ? NO_PRODUCTS : figuresOf(props)}
    ${isNew ? '' : halves(html`${waitingCard(props)} ${latestCard(props)}`)} ${groups(props)}
    ${removed.length === 0 ? '' : card({ title: 'Removed', rows: removedTable(removed) })}
  `;
  const actions = button({
    text: 'New product',
    href: '/console/new-product',
    kind: 'primary',
    icon: 'plus',
  });
  const title = 'Products';
  return consoleView(
    { title, content, scope, ...(products.length > 0 && { actions }) },
    '/console',
  );
}

/** The figure above leads here. */
function waitingCard(props: Props): HtmlSafeString {
  return html`<div id="needs">
    ${card({ title: 'What needs you', rows: needs(needsOf(props)) })}
  </div>`;
}

const MOST_DRAFTS = 3;

/** What fails, then drafts that are not finished. */
function needsOf({ failing, products }: Props): Need[] {
  const failures = failing.flatMap(({ product, issues }) =>
    issues.map((issue) => toNeed(product, issue, true)),
  );
  const drafts = products
    .filter(({ state }) => state === 'draft')
    .slice(0, MOST_DRAFTS)
    .map(({ slug, name }): Need => ({
      tone: 'plain',
      title: `Finish ${name}`,
      line: 'It is a draft: only you and your team see it.',
      action: { path: productPath(slug), label: 'See steps' },
    }));
  return failures.length + drafts.length > 0 ? [...failures, ...drafts] : [NOTHING];
}

const NOTHING: Need = {
  tone: 'ok',
  title: 'Nothing needs you',
  line: 'No delivery fails, and no dispute is open.',
};

const NO_PRODUCTS = emptyState({
  title: 'No products yet',
  sentence: 'A new product starts as a draft that only you and your team can see.',
  link: { path: '/console/new-product', label: 'New product' },
});

const seesMoneyOf = ({ roles }: ManagedProduct) => isAllowed(roles, 'see_statements');

function figuresOf({ scope, products, figures, failing }: Props): HtmlSafeString {
  const summariesOf = (some: ManagedProduct[]) => some.flatMap(({ id }) => figures.get(id) ?? []);
  const customers = sumCustomers(summariesOf(products));
  const sold = products.filter(seesMoneyOf);
  const each: Figure[] = [
    ...(sold.length === 0 ? [] : [revenueFigure(sumRevenue(summariesOf(sold)))]),
    {
      name: 'Customers with access',
      value: writeCount(customers.value),
      change: changeOf(customers.change, writeCount, { up: 'more', down: 'fewer' }),
    },
    ...(sold.length === 0 ? [] : [payouts(scope, sold, hasFailedPayout(failing))]),
    needsFigure(failing, products.length),
  ];
  return strip(each);
}

function needsFigure(failing: FailingProduct[], products: number): Figure {
  const count = failing.reduce((sum, { issues }) => sum + issues.length, 0);
  if (count === 0) return { name: 'Needs you', value: 'Nothing', change: 'All is well' };
  const words = `${failing.length} of ${writePlural(products, 'product')}`;
  return {
    name: 'Needs you',
    value: writeCount(count),
    path: '#needs',
    change: { words, tone: 'bad' },
  };
}

function revenueFigure([main, ...others]: Revenue[]): Figure {
  const name = `Revenue, last ${HOME_DAYS} days`;
  if (main === undefined) return { name, value: 'None yet' };
  const { valueMinor, currency, change } = main;
  return {
    name,
    value: money(valueMinor, currency),
    change: changeOf(change, writePercentage),
    more: others.map((each) => money(each.valueMinor, each.currency)),
  };
}

/** Looks at the products whose sales the person may see. */
function hasFailedPayout(failing: FailingProduct[]): boolean {
  return failing
    .filter(({ product }) => seesMoneyOf(product))
    .some(({ issues }) => issues.some(({ code }) => code === 'payout_failed'));
}

/** The processor pays sellers out by itself: what is known is whether it can. */
function payouts(scope: ConsoleScope, sold: ManagedProduct[], hasFailed: boolean): Figure {
  const path = withOwner('/console/payouts', scope);
  const isReady = sold.every(({ canSellerCharge }) => canSellerCharge);
  if (hasFailed) {
    const { word: value } = PAYOUT_ACCOUNTS.failed;
    return { name: 'Payouts', value, path, change: { words: 'See why', tone: 'bad' } };
  }
  return {
    name: 'Payouts',
    // Not set up, or in review: the page says which.
    value: isReady ? PAYOUT_ACCOUNTS.enabled.word : 'Not enabled',
    path,
    change: { words: isReady ? 'See months' : 'See accounts', tone: 'plain' },
  };
}

/** The person's own products, then each team's; one card where there is one owner. */
function groups(props: Props): HtmlSafeString | '' {
  const { scope, products } = props;
  const own = products.filter(({ ownerTeamId }) => ownerTeamId === null);
  const teams = scope.teams.filter(
    ({ id }) => scope.owner === 'all' || (typeof scope.owner === 'object' && scope.owner.id === id),
  );
  if (own.length + teams.length === 0) return '';
  return html`<div class="stack owners">
    ${own.length === 0 ? '' : card({ title: 'Personal', rows: productTable('Personal', own, props) })}
    ${teams.map((team) => {
      const theirs = products.filter(({ ownerTeamId }) => ownerTeamId === team.id);
      return card({
        title: team.name,
        facts: `You are ${describeRoles([team.role])}`,
        actions: button({ text: 'See team', href: teamPath(team.id), size: 'small' }),
        rows:
          theirs.length === 0
            ? html`<p class="body">This team has no products yet.</p>`
            : productTable(team.name, theirs, props),
      });
    })}
  </div>`;
}

function productTable(
  owner: string,
  products: ManagedProduct[],
  { figures, failing, ...all }: Props,
): HtmlSafeString {
  const failed = new Map(failing.map(({ product, issues }) => [product.id, issues]));
  // The tables of all owners have the same columns.
  const seesMoney = all.products.some(seesMoneyOf);
  const revenueOf = (each: ManagedProduct) =>
    seesMoneyOf(each) ? (figures.get(each.id)?.revenue ?? []) : null;
  return table({
    label: `Products: ${owner}`,
    rows: products,
    empty: '',
    columns: {
      Product: (each) => asLink(each, productPath(each.slug)),
      State: { onPhone: 'state', cell: productPill },
      ...(seesMoney && {
        [`Revenue, ${HOME_DAYS} days`]: {
          isNumber: true,
          cell: (each: ManagedProduct) => amounts(revenueOf(each)),
        },
        Trend: {
          onPhone: 'drop' as const,
          cell: (each: ManagedProduct) =>
            sparkline(revenueOf(each)?.[0]?.series.slice(0, -1) ?? []),
        },
      }),
      Customers: {
        isNumber: true,
        cell: ({ id }) => writeCount(figures.get(id)?.customers.value ?? 0),
      },
      Deliveries: {
        isNumber: true,
        cell: ({ id }) => deliveries(figures.get(id), failed.get(id) ?? []),
      },
    },
  });
}

function asLink(product: ManagedProduct, path: string): HtmlSafeString {
  const { slug, name, tagline } = product;
  return named({
    mark: appIcon(product, 40),
    name: html`<a href="${path}" data-product="${slug}">${name}</a>`,
    line: tagline || 'No tagline yet',
  });
}

function amounts(revenue: readonly Revenue[] | null): HtmlSafeString | string {
  if (revenue === null) return html`<span class="muted">Hidden from your role</span>`;
  if (revenue.length === 0) return html`<span class="muted">None yet</span>`;
  return html`${revenue.map(({ valueMinor, currency }) => html`${money(valueMinor, currency)}<br />`)}`;
}

function deliveries(
  summary: ProductSummary | undefined,
  issues: FailingProduct['issues'],
): HtmlSafeString | string {
  const failing = writeFailingDeliveries(issues);
  if (failing !== null) return pill({ word: `${failing} failing`, tone: 'bad' });
  const share = summary?.accepted ?? null;
  return share === null ? html`<span class="muted">None yet</span>` : writePercentage(share);
}

function latestCard({ latest, now }: Props): HtmlSafeString {
  return card({
    title: 'Latest',
    facts: 'Times in UTC',
    actions: html`<a href="${NOTIFICATIONS}">All notifications</a>`,
    rows:
      latest.length === 0
        ? html`<p class="body">Sales, refunds and failures will appear here.</p>`
        : html`<ul class="news">
            ${latest.map((line) => {
              const { icon: name, tone, title, path } = describeNotification(line);
              return html`<li class="${tone}">
                <span class="glyph">${icon(name)}</span>
                ${path === null ? html`<span>${title}</span>` : html`<a href="${path}">${title}</a>`}
                ${shortInstant(line.createdAt, now)}
              </li>`;
            })}
          </ul>`,
  });
}

function removedTable(removed: ManagedProduct[]): HtmlSafeString {
  return table({
    label: 'Removed products',
    rows: removed,
    empty: '',
    columns: {
      Product: (each: ManagedProduct) => asLink(each, purchasesPath(each.slug)),
      'Your role': ({ roles }) => sentenceCase(describeRoles(roles)),
    },
  });
}
