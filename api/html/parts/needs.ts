import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';
import { button } from './button.ts';

export type Need = {
  tone: 'bad' | 'warn' | 'ok' | 'plain';
  icon?: IconName;
  title: HtmlSafeString | string;
  /** What it is about, and what happens next. */
  line?: HtmlSafeString | string;
  action?: { path: string; label: string; isMain?: boolean };
  /** What it is, for programs: something that fails, or a requirement that is met or not. */
  issue?: string;
  requirement?: string;
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
      ({ tone, icon: name = ICONS[tone], title, line, action, ...named }) =>
        html`<li class="${tone}" ${nameOf(tone, named)}>
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
                  href: action.path,
                  size: 'small',
                  kind: action.isMain ? 'primary' : 'secondary',
                })
          }
        </li>`,
    )}
  </ul>`;
}

function nameOf(tone: Need['tone'], { issue, requirement }: Pick<Need, 'issue' | 'requirement'>) {
  if (requirement !== undefined)
    return html`data-requirement="${requirement}" data-met="${tone === 'ok'}"`;
  return issue === undefined ? '' : html`data-issue="${issue}"`;
}
