import { html } from '@prairielearn/html';
import {
  STATES_SHOWN,
  type ProductLine,
} from '../../../domain/catalog/product-search.repository.ts';
import { DELIVERY_WORDS } from '../../console/catalog/listing.page.ts';
import { purchasesPath } from '../../console/sales/purchase-labels.ts';
import { productPath, stateMark } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { unlisting } from '../../console/catalog/lifecycle-actions.ts';
import { smallButton } from '../../html/form.ts';
import { problemNotice } from '../../html/notices.ts';
import { BY_NAME, table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { operatorPage, PRODUCTS } from '../operator.page.ts';
import { searchForm } from '../search-form.ts';

export type ProductSearch = { state: (typeof STATES_SHOWN)[number]; slug: string };

type Props = {
  search: ProductSearch;
  after: string | null;
  products: ProductLine[];
  next: string | null;
  problem: string | null;
  token: string;
};

const LABELS = Object.fromEntries(STATES_SHOWN.map((state) => [state, sentenceCase(state)]));

export function productsPage(props: Props): View {
  const { search, after, products, next, token } = props;
  const content = html`
    ${problemNotice(props.problem)} ${searchProducts(search)}
    ${table({
      label: 'Products',
      rows: products,
      empty: 'No matching products.',
      columns: {
        Product: ({ slug, name, state, isUnlistedByOperator }: ProductLine) =>
          html`<a href="${state === 'removed' ? purchasesPath(slug) : productPath(slug)}"
              >${name}</a
            >
            ${stateMark(state)} ${isUnlistedByOperator ? 'by an operator' : ''}
            <br /><small class="id">${slug}</small>`,
        Owner: ({ sellerName, owner }) => seller(sellerName, owner),
        Delivery: ({ delivery }) => DELIVERY_WORDS[delivery],
        Actions: (line) => changes(line, { token, search }),
      },
      pages: { path: PRODUCTS, query: search, before: after, next, names: BY_NAME },
    })}
  `;
  return operatorPage({ section: PRODUCTS, title: 'Products', content });
}

function seller(name: string, owner: string | null) {
  return html`<span class="id">${name}</span><br />
    <small class="muted">${owner ?? 'Team'}</small>`;
}

function searchProducts({ state, slug }: ProductSearch) {
  return searchForm({
    action: PRODUCTS,
    kind: { name: 'state', labels: LABELS, value: state },
    start: {
      label: 'Slug starts with',
      name: 'slug',
      value: slug,
      pattern: '[A-Za-z0-9\\-]*',
      maxLength: 48,
    },
  });
}

function changes(
  { id, slug, name, state, isUnlistedByOperator }: ProductLine,
  { token, search }: { token: string; search: ProductSearch },
) {
  if (state === 'removed') return '-';
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
    <a href="${productPath(slug)}/remove" aria-label="Remove ${name}">Remove</a>
  </div>`;
}
