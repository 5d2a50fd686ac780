import { html, type HtmlSafeString } from '@prairielearn/html';
import { findCard, spaceOut, TEST_CARDS, type TestCard } from './cards.ts';

export type CardForm = { card_number: string; expiry: string; cvc: string };

/** A problem without a field happened before: it is no fault of the form. */
export type Problem = { field?: keyof CardForm; text: string };

const FILLED_IN = { expiry: '12 / 34', cvc: '123' };
const EXPIRY = /^\s*(0?[1-9]|1[0-2])\s*\/?\s*(\d{2}|\d{4})\s*$/;
const CVC = /^\s*\d{3,4}\s*$/;

const UNKNOWN_CARD = 'The simulator takes only the test cards listed below.';
const BAD_DATE = 'The expiry must be a month and a year, such as 12 / 34.';
const BAD_CVC = 'The CVC must be three or four digits.';

type CardFormView = { path: string; form: CardForm; problem: Problem | null; button: string };

export function cardForm({ path, form, problem, button }: CardFormView): HtmlSafeString {
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
  return html`
    ${problem && html`<p role="alert" id="problem">${problem.text}</p>`}
    <form method="post" action="${path}">
      <label>Card number ${input('card_number')}</label>
      <div class="pair">
        <label>Expiry (month / year) ${input('expiry')}</label>
        <label>CVC ${input('cvc')}</label>
      </div>
      <button type="submit">${button}</button>
    </form>
  `;
}

export function cardList(path: string, cards: readonly TestCard[]): HtmlSafeString {
  return html`<h2>Test cards</h2>
    <ul>
      ${cards.map(
        (card) => html`
          <li>
            <a href="${path}?card=${card.number}">${spaceOut(card.number)}</a>
            ${card.effect}
          </li>
        `,
      )}
    </ul>`;
}

/** Fills in the card that a link of the list has chosen. */
export function fillForm(chosen: TestCard | undefined): CardForm {
  return { ...FILLED_IN, card_number: spaceOut((chosen ?? TEST_CARDS[0]!).number) };
}

export function readForm(body: string): CardForm {
  const given = new URLSearchParams(body);
  const read = (field: keyof CardForm) => given.get(field) ?? '';
  return { card_number: read('card_number'), expiry: read('expiry'), cvc: read('cvc') };
}

export function findProblem(form: CardForm): Problem | null {
  if (!findCard(form.card_number)) return { field: 'card_number', text: UNKNOWN_CARD };
  if (!EXPIRY.test(form.expiry)) return { field: 'expiry', text: BAD_DATE };
  return CVC.test(form.cvc) ? null : { field: 'cvc', text: BAD_CVC };
}
