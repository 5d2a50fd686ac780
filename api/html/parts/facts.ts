import { html, type HtmlSafeString } from '@prairielearn/html';

type Cell = HtmlSafeString | string;

export type Fact = [name: Cell, value: Cell];

/** Facts with their names beside them, or above where there is little room. */
export function factList(
  facts: readonly (Fact | null | false)[],
  names: 'beside' | 'above' = 'beside',
): HtmlSafeString {
  const shown = facts.filter((fact) => fact !== null && fact !== false);
  return html`<dl ${names === 'beside' ? html`class="facts"` : ''}>
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}
