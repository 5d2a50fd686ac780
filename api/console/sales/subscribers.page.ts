import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Subscriber } from '../../../domain/billing/reports/subscriber-list.repository.ts';
import type { View } from '../../http/route.ts';
import { csvLinks } from '../../html/csv-links.ts';
import { select } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';
import { termsOf } from '../../account/subscriptions/price-labels.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import { purchasesPath } from './purchase-labels.ts';
import {
  aheadOf,
  SHOWN_STATUSES,
  STATUS_WORDS,
  statusMark,
  subscribersPath,
} from './subscriber-labels.ts';

type Listed = Subscriber & {
  /** The page where an operator sees its workflow. */
  workflowUrl: string | null;
};

type Props = {
  product: FramedProduct;
  subscribers: Listed[];
  status: string;
  before: string | null;
  next: string | null;
  mayExport: boolean;
};

export function subscribersPage(props: Props): View {
  const { product, subscribers, status, before, next } = props;
  const path = subscribersPath(product.slug);
  const isEmpty = subscribers.length === 0 && status === '' && before === null;
  return {
    title: `Subscribers of ${product.name}`,
    content: html`
      ${productHeading(product, '/subscribers')}
      <h2>Subscribers</h2>
      ${
        isEmpty
          ? noSubscribers(product)
          : html`${filterForm(path, status)}
            ${table({
              label: 'Subscribers',
              columns: columns(props),
              rows: subscribers,
              empty: 'No subscriptions match this filter.',
            })}
            ${paging({ path, query: { status }, before, next })} ${download(path, props)}`
      }
    `,
  };
}

/** Shows before the first subscription how to sell one. */
function noSubscribers({ slug }: FramedProduct): HtmlSafeString {
  return html`<p>
    No subscribers yet. To sell subscriptions, set a monthly or yearly price under
    <a href="${productPath(slug)}/prices">Prices</a> and share the buy link. A subscription appears
    here after its first payment.
  </p>`;
}

function filterForm(path: string, status: string): HtmlSafeString {
  const options = SHOWN_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] }));
  return html`<form class="search" method="get" action="${path}">
    ${select({
      label: 'Status',
      name: 'status',
      value: status,
      options: [{ value: '', label: 'Any' }, ...options],
    })}
    <button class="outline">Filter</button>
    ${status === '' ? '' : html`<a href="${path}">Clear filter</a>`}
  </form>`;
}

function download(path: string, { status, mayExport }: Props): HtmlSafeString | '' {
  if (!mayExport) return '';
  const query = status === '' ? '' : `?status=${status}`;
  return csvLinks(`${path}/subscribers.csv${query}`, 'Download as CSV');
}

function columns({ product, subscribers }: Props) {
  const sales = purchasesPath(product.slug);
  const hasWorkflows = subscribers.some(({ workflowUrl }) => workflowUrl !== null);
  return [
    {
      heading: 'Since',
      cell: ({ beganAt, purchaseId }: Listed) =>
        html`<a href="${sales}/${purchaseId}">${instant(beganAt)}</a>`,
    },
    { heading: 'Subscriber', cell: ({ handle }: Listed) => handle },
    { heading: 'Price', cell: (row: Listed) => termsOf(row) },
    { heading: 'Status', cell: statusMark },
    {
      heading: 'Paid until',
      cell: ({ periodEnd }: Listed) => (periodEnd === null ? '' : instant(periodEnd)),
    },
    { heading: 'Next', cell: aheadOf },
    ...(hasWorkflows ? [{ heading: 'Workflow', cell: workflowLink }] : []),
  ];
}

function workflowLink({ workflowUrl, handle }: Listed): HtmlSafeString | '' {
  if (workflowUrl === null) return '';
  return html`<a href="${workflowUrl}" aria-label="Workflow of ${handle}">Workflow</a>`;
}
