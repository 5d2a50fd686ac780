import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ProductCounts } from '../../../domain/catalog/product-search.repository.ts';
import type { PeopleCounts } from '../../../domain/identity/operators/people-list.repository.ts';
import { segmentLinks } from '../../html/parts/choice.ts';
import { figures } from '../../html/parts/figures.ts';
import { writeCount } from '../../html/numbers.ts';
import { pathWith } from '../../html/parts/paging.ts';
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
import { findForm } from '../running/find.page.ts';

type Props = FiguresProps &
  NeedsProps &
  RunningProps & {
    counts: { people: PeopleCounts; products: ProductCounts; clients: number };
    hint: HtmlSafeString | '';
  };

export function overviewPage(props: Props): View {
  const content = html`${props.hint} ${findForm('')} ${strip(props)}
  ${halves(html`
    ${needsCard(props)}
    <div class="stack">${running(props)} ${failingProducts(props.failing)}</div>
  `)}
  ${salesChart(props)} ${totals(props.counts)}`;
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
      change: 'verified',
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
