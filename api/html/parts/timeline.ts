import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

export type Moment = {
  words: HtmlSafeString | string;
  state: 'ok' | 'bad' | 'ahead' | 'plain';
  at: HtmlSafeString | string;
  more?: HtmlSafeString | string;
  /** Opens below it. */
  detail?: HtmlSafeString | '';
};

const ICONS: Record<Moment['state'], IconName> = {
  ok: 'circle-check',
  bad: 'circle-alert',
  ahead: 'clock',
  plain: 'circle-dashed',
};

/** What happened, the newest first. */
export function timeline(moments: readonly Moment[]): HtmlSafeString {
  return html`<ol class="timeline">
    ${moments.map(
      ({ words, state, at, more, detail }) =>
        html`<li class="${state}">
          ${icon(ICONS[state], 18)}<span>${words}</span><span>${at}</span>${
            more === undefined ? '' : html`<small>${more}</small>`
          }
          ${detail ? html`<div>${detail}</div>` : ''}
        </li>`,
    )}
  </ol>`;
}
