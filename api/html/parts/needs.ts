import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';
import { button } from './button.ts';

export type Need = {
  tone: 'bad' | 'warn' | 'ok' | 'plain';
  icon?: IconName;
  title: HtmlSafeString | string;
  /** What it is about, and what happens next. */
  line?: HtmlSafeString | string;
  action?: {
    path: string;
    label: string;
    /** The accessible name, where several have the same label. */
    name?: string;
    isMain?: boolean;
  };
  /** What it is, for programs. */
  mark?: HtmlSafeString;
};

const ICONS: Record<Need['tone'], IconName> = {
  bad: 'triangle-alert',
  warn: 'circle-alert',
  ok: 'circle-check',
  plain: 'circle-dashed',
};

/** What waits for somebody, the worst first, each with the way to it. */
export function needs(each: readonly Need[]): HtmlSafeString {
  return html`<ul class="needs">
    ${each.map(
      ({ tone, icon: name = ICONS[tone], title, line, action, mark = '' }) =>
        html`<li class="${tone}" ${mark}>
          ${icon(name, 18)}
          <div>
            <strong>${title}</strong>
            ${line === undefined ? '' : html`<p>${line}</p>`}
          </div>
          ${
            action === undefined
              ? ''
              : button({
                  text: action.label,
                  ...(action.name !== undefined && { label: action.name }),
                  href: action.path,
                  size: 'small',
                  kind: action.isMain ? 'primary' : 'secondary',
                })
          }
        </li>`,
    )}
  </ul>`;
}
