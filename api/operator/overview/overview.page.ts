import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ProductCounts } from '../../../domain/catalog/product-search.repository.ts';
import type {
  PeopleCounts,
  PersonLine,
} from '../../../domain/identity/operators/people-list.repository.ts';
import { segmentLinks } from '../../html/parts/choice.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { figures } from '../../html/parts/figures.ts';
import { writeCount } from '../../html/status-labels.ts';
import { pathWith } from '../../html/table.ts';
import { halves } from '../../html/parts/beside.ts';
import type { View } from '../../http/route.ts';
import {
  ACCOUNTS,
  BUILDERS,
  FIRST_PARTY,
  OPERATOR,
  operatorPage,
  PRODUCTS,
} from '../operator.page.ts';
import { salesChart, strip, type FiguresProps } from './figures-card.ts';
import { needsCard, type NeedsProps } from './needs-card.ts';
import { failingProducts, running, type RunningProps } from './running-card.ts';
import { requestRow } from '../people/request-row.ts';
import { findForm } from '../running/find.page.ts';

type Props = FiguresProps &
  NeedsProps &
  RunningProps & {
    /** The verification requests that wait longest. */
    requests: PersonLine[];
    counts: { people: PeopleCounts; products: ProductCounts; clients: number };
    hint: HtmlSafeString | '';
  };

export function overviewPage(props: Props): View {
  const content = html`${props.hint} ${findForm('')} ${strip(props)}
  ${halves(html`${needsCard(props)} ${running(props)}`)} ${failingProducts(props.failing)}
  ${salesChart(props)} ${requestsCard(props.requests)} ${totals(props.counts)}`;
  return operatorPage({
    section: OPERATOR,
    title: 'Overview',
    actions: segmentLinks(
      'Days',
      ([7, 28, 90] as const).map((days) => ({
        path: pathWith(OPERATOR, { days: String(days), currency: props.figures.currency ?? '' }),
        label: `${days} days`,
        isCurrent: days === props.days,
      })),
    ),
    content,
  });
}

function requestsCard(requests: PersonLine[]): HtmlSafeString | '' {
  if (requests.length === 0) return '';
  return card({
    title: 'Verification requests',
    facts: 'The oldest first',
    actions: button({
      text: 'Decide on requests',
      size: 'small',
      href: `${BUILDERS}?show=waiting`,
    }),
    rows: html`<ul class="rows">
      ${requests.map((person) => requestRow(person))}
    </ul>`,
  });
}

function totals({ people, products, clients }: Props['counts']): HtmlSafeString {
  return figures([
    {
      name: 'Products',
      value: writeCount(products.listed),
      change: `listed, ${products.unlisted} unlisted, ${products.draft} drafts`,
      path: PRODUCTS,
    },
    {
      name: 'Makers',
      value: writeCount(people.verified),
      change: `verified, ${people.waiting} waiting`,
      path: `${BUILDERS}?show=verified`,
    },
    {
      name: 'Accounts',
      value: writeCount(people.everybody),
      change: 'not deleted',
      path: ACCOUNTS,
    },
    {
      name: 'First-party apps',
      value: writeCount(clients),
      change: 'with an OAuth client',
      path: FIRST_PARTY,
    },
  ]);
}
