import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  MOST_COUNTED,
  type Subscriber,
  type SubscriberCounts,
} from '../../../domain/billing/reports/subscriber-list.repository.ts';
import { describeRenewalShortly } from '../../account/subscriptions/renewal-labels.ts';
import type { View } from '../../http/route.ts';
import { csvButtons } from '../../html/csv-links.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortDay, shortInstant } from '../../html/dates.ts';
import { PER } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { money } from '../../html/parts/money.ts';
import { totalOf } from '../../html/parts/tabs.ts';
import { writeCappedSum } from '../../html/numbers.ts';
import { SUBSCRIPTIONS, subscriptionPill } from '../../html/status-pills.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { purchasesPath } from './purchase-labels.ts';
import { SHOWN_STATUSES, subscribersPath } from './subscriber-labels.ts';

type SubscriberRow = Subscriber & {
  /** The page where an operator sees its workflow. */
  workflowUrl: string | null;
};

type Status = '' | (typeof SHOWN_STATUSES)[number];

type Props = {
  product: FramedProduct;
  subscribers: SubscriberRow[];
  counts: SubscriberCounts;
  status: Status;
  before: string | null;
  next: string | null;
  mayExport: boolean;
};

export function subscribersPage(props: Props): View {
  const { product, counts, status, mayExport } = props;
  const path = subscribersPath(product.slug);
  const isEmpty = Object.values(counts).every((count) => count === 0);
  const file = pathWith(`${path}/subscribers.csv`, { status });
  return {
    title: `Subscribers of ${product.name}`,
    ...productFrame(product, '/subscribers', 'Subscribers', {
      actions: mayExport && !isEmpty ? csvButtons(file) : '',
    }),
    content: list(props, { path, isEmpty }),
  };
}

function list(props: Props, { path, isEmpty }: { path: string; isEmpty: boolean }): HtmlSafeString {
  const { product, subscribers, counts, status, before, next } = props;
  const pathOf = (each: Status) => pathWith(path, { status: each });
  const tabOf = (each: Status, label: string, ...counted: number[]) => ({
    path: pathOf(each),
    label,
    count: writeCappedSum(counted, MOST_COUNTED),
  });
  const states = {
    label: 'States',
    current: pathOf(status),
    tabs: [
      tabOf('', 'All', ...Object.values(counts)),
      ...SHOWN_STATUSES.map((each) => tabOf(each, SUBSCRIPTIONS[each].word, counts[each])),
    ],
  };
  return listCard({
    ...(!isEmpty && { tabs: states, unfiltered: path }),
    label: 'Subscribers',
    columns: columns(props),
    rows: subscribers,
    pages: { path, query: { status }, before, next, total: totalOf(states) },
    empty: {
      title: 'No subscribers yet',
      sentence:
        'A subscription appears here after its first payment. Set a monthly or yearly price and share the buy link.',
      link: {
        path: `${productPath(product.slug)}/prices?kind=monthly#editor`,
        label: 'Set a monthly price',
      },
    },
  });
}

function columns({ product, subscribers }: Props) {
  const sales = purchasesPath(product.slug);
  const hasWorkflows = subscribers.some(({ workflowUrl }) => workflowUrl !== null);
  return {
    Subscriber: ({ handle, purchaseId }: SubscriberRow) =>
      html`<a href="${sales}/${purchaseId}">@${handle}</a>`,
    Price: ({ amountMinor, currency, billingInterval }: SubscriberRow) =>
      html`${money(amountMinor, currency)} ${PER[billingInterval]}`,
    State: { cell: subscriptionPill, onPhone: 'state' as const },
    'Next (UTC)': (row: SubscriberRow) => describeRenewalShortly(row, (at) => shortInstant(at)),
    'Paid until': {
      cell: ({ periodEnd }: SubscriberRow) => (periodEnd === null ? '–' : shortDay(periodEnd)),
      isNumber: true,
      onPhone: 'drop' as const,
    },
    Since: { cell: ({ beganAt }: SubscriberRow) => shortDay(beganAt), isNumber: true },
    ...(hasWorkflows && { Workflow: workflowLink }),
  };
}

function workflowLink({ workflowUrl, handle }: SubscriberRow): HtmlSafeString | '' {
  if (workflowUrl === null) return '';
  return button({
    text: 'Workflow',
    size: 'small',
    label: `Workflow of ${handle}`,
    href: workflowUrl,
    isExternal: true,
  });
}
