import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PayoutLine } from '../../../domain/pool/operator-views/payouts.repository.ts';
import { payoutPill } from '../../html/status-pills.ts';
import { POOL_PAYOUTS } from '../operator.page.ts';

type State = Pick<PayoutLine, 'status' | 'attempts' | 'lastError' | 'isOutcomeUnknown'>;

/** The state of a payout, with what went wrong. */
export function payoutState(payout: State): HtmlSafeString {
  const { attempts, lastError, isOutcomeUnknown } = payout;
  return html`${payoutPill(payout)}${
    isOutcomeUnknown ? html`<br /><a href="${POOL_PAYOUTS}">Outcome unknown</a>` : ''
  }${attempts > 1 ? html`<br /><small>${attempts} attempts</small>` : ''}${
    lastError === null ? '' : html`<br /><small>${lastError}</small>`
  }`;
}
