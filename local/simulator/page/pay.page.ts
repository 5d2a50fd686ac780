import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/platform/money.ts';
import { fromProcessorAmount } from '../../../activities/clients/processor-amounts.ts';
import { spaceOut, TEST_CARDS } from './cards.ts';
import type { SessionRow } from '../stripe-objects.ts';

export type CardForm = { card_number: string; expiry: string; cvc: string };

/** Without a field: what happened before, no fault of the form. */
export type Problem = { field?: keyof CardForm; text: string };

export type PayPage = { session: SessionRow; form: CardForm; problem: Problem | null };

export function payPage({ session, form, problem }: PayPage): HtmlSafeString {
  const price = priceOf(session);
  const input = (field: keyof CardForm) =>
    html`<input
      name="${field}"
      value="${form[field]}"
      inputmode="numeric"
      autocomplete="off"
      maxlength="40"
      required
      ${problem?.field === field ? html`aria-invalid="true" aria-describedby="problem"` : ''}
    />`;
  return layout(
    `Pay ${price}`,
    html`
      ${summary(session)} ${problem && html`<p role="alert" id="problem">${problem.text}</p>`}
      <form method="post" action="/pay/${session.id}">
        <label>Card number ${input('card_number')}</label>
        <div class="pair">
          <label>Expiry (month / year) ${input('expiry')}</label>
          <label>CVC ${input('cvc')}</label>
        </div>
        <button type="submit">Pay ${price}</button>
      </form>
      <p><a href="${session.cancel_url}">Cancel and go back</a></p>
      <h2>Test cards</h2>
      <ul>
        ${TEST_CARDS.map(
          (card) => html`
            <li>
              <a href="/pay/${session.id}?card=${card.number}">${spaceOut(card.number)}</a>
              ${card.effect}
            </li>
          `,
        )}
      </ul>
    `,
  );
}

/** What a bank asks before it pays. */
export function authenticationPage(session: SessionRow): HtmlSafeString {
  const answer = (value: string, words: string) =>
    html`<button type="submit" name="answer" value="${value}">${words}</button>`;
  return layout(
    'Your bank asks',
    html`
      ${summary(session)}
      <p>Your bank wants to know whether it is you who pays.</p>
      <form method="post" action="/pay/${session.id}/authenticate">
        ${answer('complete', 'Yes, it is me')} ${answer('fail', 'No, refuse it')}
      </form>
    `,
  );
}

/** A session that takes no payment any more, and why. */
export function closedPage(session: SessionRow, successUrl: string): HtmlSafeString {
  const isComplete = session.status === 'complete';
  const sentence = !isComplete
    ? 'This checkout has expired. Nothing was charged.'
    : session.payment_status === 'paid'
      ? 'This checkout has already been paid. Nothing more is charged.'
      : 'This checkout is already complete. Nothing more is charged.';
  return layout(
    isComplete ? 'Already complete' : 'Expired',
    html`
      ${summary(session)}
      <p role="status">${sentence}</p>
      <p><a href="${isComplete ? successUrl : session.cancel_url}">Go back to the shop</a></p>
    `,
  );
}

export function missingPage(): HtmlSafeString {
  return layout(
    'Not found',
    html`<h1>Not found</h1>
      <p>There is no such checkout here.</p>`,
  );
}

function summary(session: SessionRow): HtmlSafeString {
  return html`<h1>${session.product_name}</h1>
    <p class="price">${priceOf(session)}</p>`;
}

function priceOf(session: SessionRow): string {
  const currency = session.currency.toUpperCase();
  return formatMoney(fromProcessorAmount(Number(session.amount), currency), currency);
}

export function layout(title: string, content: HtmlSafeString): HtmlSafeString {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} - payment simulator</title>
        <link rel="stylesheet" href="/simulator.css" />
      </head>
      <body>
        <main class="container">
          <p class="notice">
            <strong>Payment simulator.</strong> No money moves, and no real card is needed.
          </p>
          ${content}
        </main>
      </body>
    </html>`;
}
