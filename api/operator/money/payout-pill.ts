import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PayoutLine } from '../../../domain/pool/operator-views/payouts.repository.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { POOL_PAYOUTS } from '../operator.page.ts';

type State = Pick<PayoutLine, 'status' | 'attempts' | 'lastError' | 'isOutcomeUnknown'>;

/** The state of a payout, with what went wrong. */
export function payoutPill({
  status,
  attempts,
  lastError,
  isOutcomeUnknown,
}: State): HtmlSafeString {
  const tone = status === 'paid' ? 'ok' : status === 'failed' ? 'bad' : 'info';
  return html`<span data-payout="${status}"
      >${pill({ word: sentenceCase(status), tone, isLive: status === 'paying' })}</span
    >${
      isOutcomeUnknown ? html`<br /><a href="${POOL_PAYOUTS}">Outcome unknown</a>` : ''
    }${attempts > 1 ? html`<br /><small>${attempts} attempts</small>` : ''}${
      lastError === null ? '' : html`<br /><small>${lastError}</small>`
    }`;
}
