import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AccountLinkRow, AccountRow, AccountState } from '../stripe-accounts.ts';
import { layout } from './pay.page.ts';

const CHOICES: Record<Exclude<AccountState, 'closed'>, string> = {
  enabled: 'Approved',
  in_review: 'In review',
  new: 'Details missing',
};

/** What a seller would tell the processor, as one choice of how it ends. */
export function connectPage(link: AccountLinkRow, account: AccountRow): HtmlSafeString {
  return layout(
    'Payout account',
    html`<h1>Payout account</h1>
      <p>${account.email}</p>
      <form method="post" action="/connect/${link.token}">
        <fieldset>
          <legend>Choose a result</legend>
          ${Object.entries(CHOICES).map(
            ([state, words]) =>
              html`<label>
                <input
                  type="radio"
                  name="state"
                  value="${state}"
                  ${state === 'enabled' ? html`checked` : ''}
                />
                ${words}
              </label>`,
          )}
        </fieldset>
        <button type="submit">Go back to the shop</button>
      </form>`,
  );
}

export function readState(body: string): AccountState | null {
  const given = new URLSearchParams(body).get('state') ?? '';
  return Object.hasOwn(CHOICES, given) ? (given as AccountState) : null;
}
