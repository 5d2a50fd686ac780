// What stands beside something else on a wide screen, and below it on a narrow one.
import { html, type HtmlSafeString } from '@prairielearn/html';

/** Two cards, or more of them, of the same weight. */
export function halves(cards: HtmlSafeString): HtmlSafeString {
  return html`<div class="halves">${cards}</div>`;
}

/** What the page is about, and beside it what is known about it. */
export function withAside(main: HtmlSafeString, aside: HtmlSafeString): HtmlSafeString {
  return html`<div class="split">
    <div>${main}</div>
    <aside>${aside}</aside>
  </div>`;
}

/** A chart, and the sums of its bars in a narrow table: the rows of a card. */
export function chartWithTable(chart: HtmlSafeString, table: HtmlSafeString): HtmlSafeString {
  return html`<div class="chart-and-table">${chart} ${table}</div>`;
}
