import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import { fromProcessorAmount } from '../../../clients/processor/amounts.ts';
import { cardForm, cardList, type CardForm, type Problem } from './card-form.ts';
import { RENEWAL_CARDS, TEST_CARDS } from './cards.ts';
import type { SessionRow } from '../stripe-objects.ts';

type PayPage = { session: SessionRow; form: CardForm; problem: Problem | null };

export function payPage({ session, form, problem }: PayPage): HtmlSafeString {
  const price = priceOf(session);
  const path = `/pay/${session.id}`;
  const isRecurring = session.recurring_interval !== null;
  return layout(
    `Pay ${price}`,
    html`
      ${summary(session)} ${cardForm({ path, form, problem, button: `Pay ${price}` })}
      <p><a href="${session.cancel_url}">Cancel and go back</a></p>
      ${cardList(path, isRecurring ? [...TEST_CARDS, ...RENEWAL_CARDS] : TEST_CARDS)}
    `,
  );
}

/** What a bank asks before it pays. */
export function authenticationPage(session: SessionRow): HtmlSafeString {
  const answer = (value: string, words: string) =>
    html`<button type="submit" name="answer" value="${value}">${words}</button>`;
  return layout(
    'Confirm with your bank',
    html`
      ${summary(session)}
      <p>Your bank asks you to confirm this payment.</p>
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
      <p>This checkout does not exist.</p>`,
  );
}

export type Priced = Pick<
  SessionRow,
  'product_name' | 'amount' | 'currency' | 'recurring_interval'
>;

export function summary(priced: Priced): HtmlSafeString {
  return html`<h1>${priced.product_name}</h1>
    <p class="price">${priceOf(priced)}</p>`;
}

function priceOf({ amount, currency, recurring_interval: interval }: Priced): string {
  const code = currency.toUpperCase();
  const price = formatMoney(fromProcessorAmount(Number(amount), code), code);
  return interval === null ? price : `${price} per ${interval}`;
}

export function layout(title: string, content: HtmlSafeString): HtmlSafeString {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} | Payment simulator</title>
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
