import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Fact } from '../table.ts';

/** Amounts below each other, and what they come to. */
export function sums(lines: readonly Fact[], total?: Fact): HtmlSafeString {
  return html`<dl class="sums">
    ${lines.map(line)} ${total === undefined ? '' : html`<div class="total">${line(total)}</div>`}
  </dl>`;
}

function line([name, value]: Fact): HtmlSafeString {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`;
}
