import { html, type HtmlSafeString } from '@prairielearn/html';

export type Sum = [name: HtmlSafeString | string, amount: HtmlSafeString];

/** Amounts below each other, and what they come to. */
export function sums(lines: readonly Sum[], total?: Sum): HtmlSafeString {
  return html`<dl class="sums">
    ${lines.map(line)} ${total === undefined ? '' : html`<div class="total">${line(total)}</div>`}
  </dl>`;
}

function line([name, value]: Sum): HtmlSafeString {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`;
}
