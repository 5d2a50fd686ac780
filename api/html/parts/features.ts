import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

export type Feature = readonly [name: IconName, title: string, words: string];

/** What a reader gets or does, each with its icon; `three` stand beside each other. */
export function features(each: readonly Feature[], columns: '' | 'three' = ''): HtmlSafeString {
  return html`<ul class="features ${columns}">
    ${each.map(
      ([name, title, words]) =>
        html`<li>
          ${icon(name, 20)}
          <h3>${title}</h3>
          <p>${words}</p>
        </li>`,
    )}
  </ul>`;
}
