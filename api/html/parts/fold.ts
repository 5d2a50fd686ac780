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

type Question = {
  summary: string;
  /** The accessible name, where several have the same summary. */
  label?: string | undefined;
  /** What will happen. */
  sentence: HtmlSafeString | string;
  /** The button, or the form, that does it. */
  button: HtmlSafeString;
  isOpen?: boolean;
  /** What is asked about cannot be taken back, or hurts. */
  isDangerous?: boolean;
};

/** Shows what an action does and asks once: the button stands behind the summary. */
export function askOnce({ summary, label, sentence, button, ...more }: Question) {
  const { isOpen = false, isDangerous = false } = more;
  const tone = isDangerous ? html`class="warns"` : '';
  const named = label === undefined ? '' : html`aria-label="${label}"`;
  return html`<details ${isOpen ? html`open` : ''}>
    <summary ${tone} ${named}>${summary}</summary>
    <p>${sentence}</p>
    ${button}
  </details>`;
}
