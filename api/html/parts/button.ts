import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'warns' | 'danger';

export type ButtonProps = {
  /** Names the result: *Refund 14.50 USD*. */
  text: HtmlSafeString | string;
  /** One primary a view; `danger` only for the submit that confirms. */
  kind?: ButtonKind;
  size?: 'small' | 'medium' | 'large';
  icon?: IconName;
  /** The accessible name, where several buttons have the same text. */
  label?: string;
  /** Leads there; without it the button submits its form. */
  href?: string;
  /** The link leaves the site. */
  isExternal?: boolean;
  /** What the form learns from this button. */
  name?: string;
  value?: string;
  /** Attributes by which it is found, such as `data-open`, or what its link is. */
  mark?: HtmlSafeString;
};

export function button(props: ButtonProps): HtmlSafeString {
  const { text, kind = 'secondary', size = 'medium', label, href, isExternal = false } = props;
  const classes = `button ${kind} ${size}`;
  const named = label === undefined ? '' : html`aria-label="${label}"`;
  const content = html`${props.icon === undefined ? '' : icon(props.icon)}${text}${
    isExternal ? icon('arrow-up-right') : ''
  }`;
  const mark = props.mark ?? '';
  if (href !== undefined) {
    return html`<a class="${classes}" href="${href}" ${named} ${mark}>${content}</a>`;
  }
  return html`<button
    type="submit"
    class="${classes}"
    ${named}
    ${props.name === undefined ? '' : html`name="${props.name}" value="${props.value ?? ''}"`}
    ${mark}
  >
    ${content}
  </button>`;
}
