import { html } from '@prairielearn/html';
import {
  STATES_SHOWN,
  type ProductLine,
} from '../../../domain/catalog/product-search.repository.ts';
import { purchasesPath } from '../../console/sales/purchase-labels.ts';
import { productPath } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { unlisting } from '../../console/catalog/lifecycle-actions.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { smallButton } from '../../html/form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { problemNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { BY_NAME, pathWith } from '../../html/parts/paging.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { productPill } from '../../html/status-pills.ts';
import { operatorPage, PRODUCTS } from '../operator.page.ts';
import { productCell } from '../product-cell.ts';

export type ProductSearch = { state: (typeof STATES_SHOWN)[number]; slug: string };

type Props = {
  search: ProductSearch;
  after: string | null;
  products: ProductLine[];
  next: string | null;
  problem: string | null;
  token: string;
};

export function productsPage(props: Props): View {
  const { search, after, products, next, token } = props;
  const path = (state: ProductSearch['state']) =>
    pathWith(PRODUCTS, { state: state === 'all' ? undefined : state, slug: search.slug });
  const content = html`
    ${problemNotice(props.problem)}
    ${listCard({
      tabs: {
        label: 'States',
        tabs: STATES_SHOWN.map((state) => ({ path: path(state), label: sentenceCase(state) })),
        current: path(search.state),
      },
      filter: filter(search),
      unfiltered: search.slug === '' && search.state === 'all' ? null : PRODUCTS,
      label: 'Products',
      rows: products,
      empty: {
        title: 'No products yet',
        sentence: 'A product appears here as soon as a maker creates one.',
      },
      columns: {
        Product: (line: ProductLine) =>
          productCell({
            ...line,
            more: html`<span class="id" data-slug>${line.slug}</span>`,
            path: line.state === 'removed' ? purchasesPath(line.slug) : productPath(line.slug),
          }),
        State: { cell: state, onPhone: 'state' },
        Maker: ({ sellerName, owner }) =>
          html`<span class="id">${sellerName}</span><br /><small
              >${owner === null ? 'Team' : `@${owner}`}</small
            >`,
        Change: (line) => changes(line, { token, search }),
      },
      pages: { path: PRODUCTS, query: search, before: after, next, names: BY_NAME },
    })}
  `;
  return operatorPage({ section: PRODUCTS, title: 'Products', content });
}

function state(product: ProductLine) {
  return html`${productPill(product)}${
    product.isUnlistedByOperator ? html`<br /><small>by an operator</small>` : ''
  }`;
}

function filter({ state: shown, slug }: ProductSearch) {
  const start = searchField({
    label: 'Slug starts with',
    name: 'slug',
    value: slug,
    pattern: '[A-Za-z0-9\\-]*',
    maxLength: 48,
  });
  const kept = html`<input type="hidden" name="state" value="${shown}" />`;
  return filterForm({ path: PRODUCTS, fields: [kept, start], button: 'Search' });
}

function changes(
  { id, slug, name, state, isUnlistedByOperator }: ProductLine,
  { token, search }: { token: string; search: ProductSearch },
) {
  if (state === 'removed') return '';
  const asked = { action: `${PRODUCTS}/${id}`, token };
  const hidden = { state: search.state, slug: search.slug };
  const isUnlistedByOwner = state === 'unlisted' && !isUnlistedByOperator;
  return html`<div class="actions" data-product="${slug}">
    ${
      state === 'listed'
        ? unlisting({ ...asked, hidden: { ...hidden, action: 'unlist' }, name })
        : smallButton({ ...asked, hidden: { ...hidden, action: 'list' }, button: 'List' })
    }
    ${
      isUnlistedByOwner
        ? smallButton({
            ...asked,
            hidden: { ...hidden, action: 'unlist' },
            button: 'Keep unlisted',
            label: `Keep ${name} unlisted, so that its owner cannot list it`,
          })
        : ''
    }
    ${button({
      text: 'Remove',
      kind: 'warns',
      size: 'small',
      href: `${productPath(slug)}/remove`,
      label: `Remove ${name}`,
    })}
  </div>`;
}
