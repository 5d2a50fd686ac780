// The choice of another product or team, on top of the navigation beside a page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from './icon.ts';
import { productPill } from './status-pills.ts';

export type Choice = {
  path: string;
  label: string;
  mark: HtmlSafeString;
  isCurrent?: boolean;
  isDraft?: boolean;
};

type Switcher = {
  mark: HtmlSafeString;
  /** What is chosen, and whose it is. */
  name: string;
  line: string;
  /** Stands over the first choices. */
  title: string;
  /** Choices of a kind, with a rule between two kinds; a kind may have none. */
  choices: readonly (readonly Choice[])[];
};

export function switcher({ mark, name, line, title, choices }: Switcher): HtmlSafeString {
  const [first = [], ...others] = choices;
  return html`<details class="switcher">
    <summary class="who">
      ${mark}<span>${name}<small>${line}</small></span
      >${icon('chevrons-up-down')}
    </summary>
    <div>
      ${first.length === 0 ? '' : html`<span class="group">${title}</span>${list(first)}`}
      ${others
        .filter(({ length }) => length > 0)
        .map(
          (kind, index) =>
            html`${first.length === 0 && index === 0 ? '' : html`<hr />`}${list(kind)}`,
        )}
    </div>
  </details>`;
}

function list(choices: readonly Choice[]): HtmlSafeString {
  return html`<ul>
    ${choices.map(
      ({ path, label, mark, isCurrent = false, isDraft = false }) =>
        html`<li>
          <a href="${path}" ${isCurrent ? html`aria-current="true"` : ''}
            >${mark}<span>${label}</span>${isCurrent ? icon('check') : ''}${
              isDraft ? productPill({ state: 'draft' }) : ''
            }</a
          >
        </li>`,
    )}
  </ul>`;
}
