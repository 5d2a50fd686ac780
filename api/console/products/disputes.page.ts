import { html } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type {
  DisputeLine,
  DisputePage,
} from '../../../domain/billing/disputes/dispute-list.repository.ts';
import type { DisputeStatus } from '../../../domain/billing/disputes/dispute-status.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';
import { sentenceCase } from '../../html/words.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';

type Props = { product: FramedProduct; found: DisputePage; before: string | null };

const WORDS: Record<DisputeStatus, string> = {
  warning: 'The bank asked about the payment. The buyer keeps access.',
  open: 'Disputed. The buyer keeps access until the bank decides.',
  won: 'Won. You keep the payment.',
  lost: 'Lost. The payment was returned to the buyer.',
  closed: 'Closed without a dispute.',
};

export function disputesPage({ product, found, before }: Props): View {
  const path = `${productPath(product.slug)}/disputes`;
  return {
    title: `Disputes of ${product.name}`,
    content: html`
      ${productHeading(product, '/disputes')}
      <h2>Disputes</h2>
      ${table({
        label: 'Disputes',
        rows: found.lines,
        empty: 'No disputes yet.',
        columns: [
          { heading: 'Opened', cell: ({ createdAt }) => instant(createdAt) },
          { heading: 'Purchase', cell: purchase },
          {
            heading: 'Amount',
            cell: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
          },
          { heading: 'Status', cell: outcome },
        ],
      })}
      ${paging({ path, before, next: found.next })}
    `,
  };
}

function purchase({ id, purchaseId }: DisputeLine) {
  return html`<span class="id">${purchaseId}</span><br /><small class="muted id">${id}</small>`;
}

function outcome({ status, reason, settledAt }: DisputeLine) {
  return html`<span data-dispute="${status}">${WORDS[status]}</span><br />
    <small class="muted"
      >${sentenceCase(reason)}${settledAt ? html`, ${instant(settledAt)}` : ''}</small
    >`;
}
