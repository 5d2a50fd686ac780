// The choice of another product or team, on top of the navigation beside a page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { appIcon } from './emblems.ts';
import { icon } from './icon.ts';
import { pill } from './parts/pill.ts';

/** A product that the person manages. */
export type Choice = { slug: string; name: string; state: string };

type Switcher = {
  mark: HtmlSafeString;
  /** What is chosen, and whose it is. */
  name: string;
  line: string;
  /** Stands over the choices. */
  title: string;
  choices: readonly Choice[];
  current: string;
};

export function switcher({ mark, name, line, title, choices, current }: Switcher): HtmlSafeString {
  return html`<details class="switcher">
    <summary class="who">
      ${mark}<span>${name}<small>${line}</small></span
      >${icon('chevrons-up-down')}
    </summary>
    <div>
      ${choices.length === 0 ? '' : html`<span class="group">${title}</span>`}
      <ul>
        ${choices.map((choice) => item(choice, current))}
      </ul>
      ${choices.length === 0 ? '' : html`<hr />`}
      <ul>
        <li><a href="/console">${icon('boxes')}All products</a></li>
        <li><a href="/console/new-product">${icon('plus')}New product</a></li>
        <li><a href="/console/teams">${icon('users')}Teams</a></li>
      </ul>
    </div>
  </details>`;
}

function item({ slug, name, state }: Choice, current: string): HtmlSafeString {
  const path = `/console/products/${slug}`;
  return html`<li>
    <a href="${path}" ${path === current ? html`aria-current="true"` : ''}
      >${appIcon({ slug, name }, 24)}${name}${
        state === 'draft' ? pill({ word: 'Draft', tone: 'info' }) : ''
      }</a
    >
  </li>`;
}
