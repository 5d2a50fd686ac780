import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../icon.ts';

export type Step = {
  /** Names it for links and programs. */
  name?: string;
  title: string;
  state: 'done' | 'now' | 'later';
  /** The day on which it was done, or how long it takes. */
  fact?: HtmlSafeString | string;
  content: HtmlSafeString;
};

/** Steps in their order: those that are done are closed, and the next one is open. */
export function steps(each: readonly Step[]): HtmlSafeString {
  return html`<ol class="todo">
    ${each.map(
      ({ name, title, state, fact, content }) =>
        html`<li
          class="${state}"
          ${name === undefined ? '' : html`data-step="${name}"`}
          ${state === 'now' ? html`aria-current="step"` : ''}
        >
          <details class="card" ${state === 'now' ? html`open` : ''}>
            <summary>
              <span>${title}</span>${fact === undefined ? '' : html`<small>${fact}</small>`}
              ${icon('chevron-down')}
            </summary>
            <div class="body">${content}</div>
          </details>
        </li>`,
    )}
  </ol>`;
}
