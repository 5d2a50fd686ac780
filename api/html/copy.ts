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
};

/** A text to copy. One click selects all of it; the button is shown by its script alone. */
export function copyable({ id, label, text, mark, isBlock = false }: Copyable): HtmlSafeString {
  return html`<span class="copyable"
    ><code class="${isBlock ? 'bytes' : 'id'}" id="${id}" ${mark ?? ''}>${text}</code>
    <button
      type="button"
      class="outline secondary"
      data-copy="${id}"
      aria-label="Copy ${label}"
      hidden
    >
      ${icon('copy')}Copy
    </button>
    <small role="status"></small
  ></span>`;
}
