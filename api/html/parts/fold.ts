import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

type Fold = {
  /** The fragment that leads to it, and opens it. */
  id: string;
  title: string;
  icon?: IconName;
  /** A line beside the title. */
  fact?: string;
  content: HtmlSafeString;
  isOpen?: boolean;
};

/** A card that is closed until somebody wants what is in it. */
export function fold({ id, title, icon: name, fact, content, isOpen = false }: Fold) {
  return html`<details class="card fold" ${isOpen ? html`open` : ''}>
    <summary>
      ${name === undefined ? '' : icon(name)}
      <h2>${title}</h2>
      ${fact === undefined ? '' : html`<small>${fact}</small>`} ${icon('chevron-down')}
    </summary>
    <div class="body" id="${id}">${content}</div>
  </details>`;
}

/** More of the same thing, below a quiet line that opens it. */
export function more(words: string, content: HtmlSafeString): HtmlSafeString {
  return html`<details class="more">
    <summary>${words}</summary>
    ${content}
  </details>`;
}
