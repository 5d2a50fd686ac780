// What stands around the title of a page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../icon.ts';

/** A page above this one; without a path, a name on the way that is no page of its own. */
type Step = { path?: string; label: HtmlSafeString | string };

export type PageHead = {
  title: HtmlSafeString | string;
  /** The way to the page, from the top. */
  trail?: readonly Step[];
  /** The state, beside the title. */
  state?: HtmlSafeString | '';
  /** Stands at the right of the title. */
  actions?: HtmlSafeString | '';
  /** One sentence below the title. */
  lead?: HtmlSafeString | string;
};

export function pageHead(head: PageHead): HtmlSafeString {
  const { title, trail: steps, state = '', actions = '', lead } = head;
  return html`${steps === undefined ? '' : trail(steps)}
    <h1>${title}</h1>
    ${state} ${actions === '' ? '' : html`<div class="actions no-print">${actions}</div>`}
    ${lead === undefined ? '' : html`<p class="lead">${lead}</p>`}`;
}

/** The way to a page, and what stands at its end. */
export function trail(steps: readonly Step[], end: HtmlSafeString | '' = ''): HtmlSafeString {
  return html`<nav class="trail no-print" aria-label="Path">
    ${steps.map(
      ({ path, label }, index) =>
        html`${index === 0 ? '' : icon('chevron-right')}${
          path === undefined ? html`<span>${label}</span>` : html`<a href="${path}">${label}</a>`
        }`,
    )}
    ${end}
  </nav>`;
}
