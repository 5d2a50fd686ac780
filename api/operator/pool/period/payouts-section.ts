import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PayoutLine } from '../../../../domain/pool/operating/payouts.repository.ts';
import { formatMoney } from '../../../../domain/shared/money.ts';
import { instant } from '../../../html/layout.ts';
import { table } from '../../../html/table.ts';
import { sentenceCase, writeCount } from '../../../html/words.ts';

/** Those that are not paid come first, each with the reason. */
export function payoutsOfPeriod({
  payouts: { lines, all },
}: {
  payouts: { lines: PayoutLine[]; all: number };
}): HtmlSafeString {
  return html`<section>
    <h2>Payouts</h2>
    ${
      all > lines.length
        ? html`<p class="muted">The first ${lines.length} of ${writeCount(all)}.</p>`
        : ''
    }
    ${table({
      label: 'Payouts of the month',
      rows: lines,
      empty: 'No payouts yet.',
      columns: [
        {
          heading: 'To',
          cell: ({ owner, id }: PayoutLine) => html`${owner}<br /><small class="id">${id}</small>`,
        },
        {
          heading: 'Amount',
          cell: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
        },
        { heading: 'Status', cell: payoutStatus },
        { heading: 'Next attempt', cell: ({ dueAt }) => (dueAt === null ? '-' : instant(dueAt)) },
      ],
    })}
  </section>`;
}

function payoutStatus({ status, attempts, lastError }: PayoutLine): HtmlSafeString {
  return html`<span data-payout="${status}">${sentenceCase(status)}</span>${
      attempts > 1 ? html`<br /><small class="muted">${attempts} attempts</small>` : ''
    }${lastError === null ? '' : html`<br /><small>${lastError}</small>`}`;
}
