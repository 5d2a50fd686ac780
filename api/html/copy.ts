import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from './icon.ts';

type Copyable = {
  /** Names the text on its page. */
  id: string;
  /** The accessible name of the button is *Copy* and this. */
  label: string;
  text: string;
  /** An attribute by which the text is found, such as `data-key`. */
  mark?: HtmlSafeString;
  /** The text has several lines. */
  isBlock?: boolean;
  /** One line as wide as its place: what has no room is cut out of its middle. */
  isLine?: boolean;
};

const SHOWN_END = 8;

/** A text to copy. One click selects all of it; the button is shown by its script alone. */
export function copyable(props: Copyable): HtmlSafeString {
  const { id, label, text, mark = '', isBlock = false, isLine = false } = props;
  const shown = isLine ? cut(text) : text;
  return html`<span class="copyable ${isLine ? 'line' : ''}"
    ><code class="${isBlock ? 'bytes' : 'id'}" id="${id}" ${mark}>${shown}</code>
    <button type="button" data-copy="${id}" aria-label="Copy ${label}" hidden>
      ${icon('copy')}${isLine ? '' : 'Copy'}
    </button>
    <small role="status"></small
  ></span>`;
}

/** The end stays in sight; all of the text is there to be copied. */
function cut(text: string): HtmlSafeString {
  const at = Math.max(0, text.length - SHOWN_END);
  return html`<span>${text.slice(0, at)}</span><span>${text.slice(at)}</span>`;
}

/** Stands in the place of a secret that the page does not hold. */
export function hiddenSecret(prefix: string, lastFour = ''): HtmlSafeString {
  return html`<span class="copyable line"
    ><code class="id">${prefix}${'\u2022'.repeat(8)}${lastFour}</code></span
  >`;
}

const BEGIN = 12;
const END = 4;

/** Shows begin and end of an id; it is read aloud, copied and named by its title whole. */
export function cutId(id: string): HtmlSafeString {
  if (id.length <= 20) return html`<code class="id">${id}</code>`;
  const middle = html`<span aria-hidden="true">…</span
    ><span class="unseen">${id.slice(BEGIN, -END)}</span>`;
  return html`<code class="id" title="${id}"
    >${id.slice(0, BEGIN)}${middle}${id.slice(-END)}</code
  >`;
}
