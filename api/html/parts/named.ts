import { html, type HtmlSafeString } from '@prairielearn/html';

type Named = {
  /** An app icon or an avatar. */
  mark: HtmlSafeString;
  name: HtmlSafeString | string;
  /** A second line, which is cut in a table where it is too long. */
  line?: HtmlSafeString | string;
};

/** A product, a person or a team, as it looks and by its name. */
export function named({ mark, name, line }: Named): HtmlSafeString {
  return html`<div class="named">
    ${mark} <span>${name}</span> ${line === undefined ? '' : html`<small>${line}</small>`}
  </div>`;
}
