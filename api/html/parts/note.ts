import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

type Note = {
  tone: 'info' | 'ok' | 'warn' | 'bad' | 'plain';
  /** The sentence that matters, in bold. */
  sentence?: string;
  /** What follows from it, with the way out. */
  more?: HtmlSafeString | string;
  actions?: HtmlSafeString;
  /** Stands in place of the icon of the tone. */
  icon?: IconName;
};

const ICONS: Record<Note['tone'], IconName> = {
  info: 'info',
  ok: 'circle-check',
  warn: 'triangle-alert',
  bad: 'triangle-alert',
  plain: 'info',
};

export function note({
  tone,
  sentence,
  more = '',
  actions,
  icon: name = ICONS[tone],
}: Note): HtmlSafeString {
  return html`<div class="note ${tone}" role="${tone === 'bad' ? 'alert' : 'note'}">
    ${icon(name)}
    <div>${sentence === undefined ? '' : html`<strong>${sentence}</strong>`} ${more}</div>
    ${actions ?? ''}
  </div>`;
}
