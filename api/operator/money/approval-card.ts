// The approval of a month of the pool, which books and pays.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { ReviewedLine } from '../../../domain/pool/review/decisions.repository.ts';
import { copyable } from '../../html/copy.ts';
import { writePlural } from '../../html/numbers.ts';
import { instant } from '../../html/dates.ts';
import { form, smallButton } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { periodName, periodPath } from './pool.page.ts';

export type ApprovalProps = {
  period: PeriodView;
  reviewed: ReviewedLine[];
  /** How many products the period has in all. */
  products: number;
  /** Only on the page that answers the press of a button. */
  approvalCode: { code: string; expiresAtMs: number } | null;
  token: string;
};

export function approvalCard(props: ApprovalProps): HtmlSafeString {
  const { period, reviewed, products, token } = props;
  const held = reviewed.filter(({ heldFor }) => heldFor !== null).length;
  const undecided = reviewed.length - held;
  const productsMinor = period.productsMinor ?? 0;
  const name = periodName(period);
  return card({
    title: 'Approval',
    body: html`${note({
        tone: 'warn',
        sentence: `Approving pays ${writePlural(products - held, 'product')}.`,
        more: html`${money(productsMinor, period.currency)} are booked, and the payouts start now.
        ${undecided === 0 ? '' : `${writePlural(undecided, 'listed product')} would be paid unheld.`}
        An approved month is never computed again.`,
      })}
      <p>
        ${writePlural(held, 'held product')} and everything below the minimum wait for a later
        month.
      </p>
      ${fold({
        summary: `Approve ${name}`,
        sentence: 'This cannot be undone.',
        isMain: true,
        content: form({
          action: `${periodPath(period.id)}/approve`,
          token,
          isMain: true,
          button: `Approve ${name}`,
        }),
      })}
      ${approvalInTemporal(props)}`,
  });
}

function approvalInTemporal({ period, approvalCode, token }: ApprovalProps): HtmlSafeString {
  if (approvalCode === null) {
    return html`<div class="actions">
      ${smallButton({
        action: `${periodPath(period.id)}/approval-code`,
        token,
        button: 'Show a code',
      })}
      <small class="muted">Or approve in Temporal, with a code that is made here for you.</small>
    </div>`;
  }
  const { code, expiresAtMs } = approvalCode;
  return html`<div role="status" data-secret>
    <p>
      <strong>This code approves ${periodName(period)} in your name.</strong> Send it with the
      Update <code>approve</code> to the workflow of the month. It works once, until
      ${instant(new Date(expiresAtMs))}. The history of the workflow keeps the code, which approves
      nothing any more then.
    </p>
    <p>
      ${copyable({ id: 'approval-code', label: 'code', text: code, mark: html`data-approval-code` })}
    </p>
  </div>`;
}
