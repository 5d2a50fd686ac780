import { html } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type {
  DisputeLine,
  DisputePage,
} from '../../../domain/billing/disputes/dispute-list.repository.ts';
import {
  isDisputeOpen,
  type DisputeStatus,
} from '../../../domain/billing/disputes/dispute-status.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { purchasesPath } from './purchase-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';

type Props = {
  product: FramedProduct;
  found: DisputePage;
  before: string | null;
  /** The address that sellers write to. */
  support: string;
  /** The processor's page for whoever may answer there. */
  answerPageOf: (processorId: string) => string | null;
};

const WORDS: Record<DisputeStatus, string> = {
  warning: 'The bank asked about the payment. The buyer keeps access.',
  open: 'Disputed. The buyer keeps access until the bank decides.',
  won: 'Won. You keep the payment.',
  lost: 'Lost. The payment was returned to the buyer.',
  closed: 'Closed without a dispute.',
};

export function disputesPage(props: Props): View {
  const { product, found, before } = props;
  const path = `${productPath(product.slug)}/disputes`;
  return {
    title: `Disputes of ${product.name}`,
    ...productFrame(product, '/disputes', 'Disputes'),
    content: html`
      <p>
        When a buyer disputes a payment with their bank, the platform's operators answer at the
        payment processor until the due date. Send them what shows that the buyer got the product,
        with the purchase id: <a href="mailto:${props.support}">${props.support}</a>.
      </p>
      ${table({
        label: 'Disputes',
        rows: found.lines,
        empty: 'No disputes yet.',
        columns: {
          Opened: ({ createdAt }) => instant(createdAt),
          Purchase: (line: DisputeLine) => purchase(product.slug, line),
          Amount: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
          Status: outcome,
          'Answer by': (line: DisputeLine) => answer(line, props),
        },
        pages: { path, before, next: found.next },
      })}
    `,
  };
}

function purchase(slug: string, { id, purchaseId }: DisputeLine) {
  return html`<a class="id" href="${purchasesPath(slug)}/${purchaseId}">${purchaseId}</a><br />
    <small class="muted id">${id}</small>`;
}

function answer({ status, dueAt, processorId }: DisputeLine, { answerPageOf }: Props) {
  if (!isDisputeOpen(status)) return '-';
  const url = answerPageOf(processorId);
  return html`${dueAt === null ? 'Not known' : instant(dueAt)}
  ${url === null ? '' : html`<br /><a href="${url}" rel="noreferrer">Answer at the payment processor</a>`}`;
}

function outcome({ status, reason, settledAt }: DisputeLine) {
  return html`<span data-dispute="${status}">${WORDS[status]}</span><br />
    <small class="muted"
      >${sentenceCase(reason)}${settledAt ? html`, ${instant(settledAt)}` : ''}</small
    >`;
}
