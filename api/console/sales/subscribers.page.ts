import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Subscriber } from '../../../domain/billing/reports/subscriber-list.repository.ts';
import type { View } from '../../http/route.ts';
import { csvLinks } from '../../html/csv-links.ts';
import { filterForm, select } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { writeTerms } from '../../account/subscriptions/price-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { purchasesPath } from './purchase-labels.ts';
import {
  aheadOf,
  SHOWN_STATUSES,
  STATUS_WORDS,
  statusMark,
  subscribersPath,
} from './subscriber-labels.ts';

type SubscriberRow = Subscriber & {
  /** The page where an operator sees its workflow. */
  workflowUrl: string | null;
};

type Props = {
  product: FramedProduct;
  subscribers: SubscriberRow[];
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
    ...productFrame(product, '/subscribers', 'Subscribers'),
    content: html`
      ${
        isEmpty
          ? noSubscribers(product)
          : html`${filters(path, status)}
            ${table({
              label: 'Subscribers',
              columns: columns(props),
              rows: subscribers,
              empty: 'No subscriptions match this filter.',
              pages: { path, query: { status }, before, next },
            })}
            ${download(path, props)}`
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

function filters(path: string, status: string): HtmlSafeString {
  const options = SHOWN_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] }));
  const field = select({
    label: 'Status',
    name: 'status',
    value: status,
    options: [{ value: '', label: 'Any' }, ...options],
  });
  return filterForm({ path, fields: [field], isFiltered: status !== '' });
}

function download(path: string, { status, mayExport }: Props): HtmlSafeString | '' {
  if (!mayExport) return '';
  const query = status === '' ? '' : `?status=${status}`;
  return csvLinks(`${path}/subscribers.csv${query}`, 'Download as CSV');
}

function columns({ product, subscribers }: Props) {
  const sales = purchasesPath(product.slug);
  const hasWorkflows = subscribers.some(({ workflowUrl }) => workflowUrl !== null);
  return {
    Since: ({ beganAt, purchaseId }: SubscriberRow) =>
      html`<a href="${sales}/${purchaseId}">${instant(beganAt)}</a>`,
    Subscriber: ({ handle }: SubscriberRow) => handle,
    Price: (row: SubscriberRow) => writeTerms(row),
    Status: statusMark,
    'Paid until': ({ periodEnd }: SubscriberRow) => (periodEnd === null ? '' : instant(periodEnd)),
    Next: aheadOf,
    ...(hasWorkflows ? { Workflow: workflowLink } : {}),
  };
}

function workflowLink({ workflowUrl, handle }: SubscriberRow): HtmlSafeString | '' {
  if (workflowUrl === null) return '';
  return html`<a href="${workflowUrl}" aria-label="Workflow of ${handle}">Workflow</a>`;
}
