import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operating/periods.repository.ts';
import type {
  PayoutLine,
  WaitingLines,
} from '../../../domain/pool/operating/payouts.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase, writeCount } from '../../html/status-labels.ts';
import { POOL_PAYOUTS } from './pool.page.ts';

/** Those that are not paid come first, each with the reason. */
export function payoutsSection({
  period,
  payouts: { lines, all },
  waiting,
}: {
  period: PeriodView;
  payouts: { lines: PayoutLine[]; all: number };
  waiting: WaitingLines[];
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
        columns: {
          To: ({ owner, id }: PayoutLine) => html`${owner}<br /><small class="id">${id}</small>`,
          Amount: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
          Status: payoutStatus,
          'Next attempt': ({ dueAt }) => (dueAt === null ? '-' : instant(dueAt)),
        },
      })}
    </section>
    ${period.approvedAt === null || waiting.length === 0 ? '' : notPaid(period, waiting)}`;
}

const WAITING_WORDS: Partial<Record<WaitingLines['status'], string>> = {
  held: 'Under review, or the first payout of its owner',
  below_minimum: 'Below the minimum',
  no_account: 'Without a payout account that can receive it',
  failed: 'The payout failed',
};

/** What a later month pays. */
function notPaid({ currency }: PeriodView, waiting: WaitingLines[]): HtmlSafeString {
  return html`<section>
    <h2>Waits for a later month</h2>
    ${table({
      label: 'What waits',
      rows: waiting,
      empty: '',
      columns: {
        Reason: ({ status }: WaitingLines) => WAITING_WORDS[status] ?? sentenceCase(status),
        Lines: ({ lines }) => writeCount(lines),
        Amount: ({ amountMinor }) => formatMoney(amountMinor, currency),
      },
    })}
  </section>`;
}

function payoutStatus(line: PayoutLine): HtmlSafeString {
  const { status, attempts, lastError, isOutcomeUnknown } = line;
  return html`<span data-payout="${status}">${sentenceCase(status)}</span>${
      isOutcomeUnknown ? html`<br /><a href="${POOL_PAYOUTS}">Outcome unknown</a>` : ''
    }${
      attempts > 1 ? html`<br /><small class="muted">${attempts} attempts</small>` : ''
    }${lastError === null ? '' : html`<br /><small>${lastError}</small>`}`;
}
