import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

type Fold = {
  /** The button that opens it. */
  summary: string;
  /** Tells folds with the same summary apart, for people who hear the page. */
  about?: string | undefined;
  /** What will happen. */
  sentence?: HtmlSafeString | string;
  /** The fields, and the one button that confirms. */
  content: HtmlSafeString;
  isOpen?: boolean;
  /** Something is destroyed or stopped. */
  isDangerous?: boolean;
  /** It is what the page is for. */
  isMain?: boolean;
};

/** A quiet button, and a form or a question that it opens below its row. Then it reads *Cancel*. */
export function fold({ summary, about, sentence, content, ...more }: Fold): HtmlSafeString {
  const kind = more.isMain ? 'primary' : `quiet small ${more.isDangerous ? 'warns' : ''}`;
  const unseen = about === undefined ? '' : html` <span class="unseen">${about}</span>`;
  return html`<details class="fold" ${more.isOpen ? html`open` : ''}>
    <summary class="button ${kind}">
      <span class="when-closed">${summary}${unseen}</span
      ><span class="when-open">Cancel<span class="unseen">: ${summary}</span>${unseen}</span>
      ${icon('chevron-down')}
    </summary>
    <div class="well">${sentence === undefined ? '' : html`<p>${sentence}</p>`} ${content}</div>
  </details>`;
}

type CardFold = {
  /** The fragment that leads to it, and opens it. */
  id: string;
  title: string;
  icon?: IconName;
  /** A line beside the title. */
  fact?: string;
  content: HtmlSafeString;
  isOpen?: boolean;
  /** Is read and not sent. */
  isText?: boolean;
};

/** A card that is closed until somebody wants what is in it. */
export function cardFold({ id, title, icon: name, fact, content, ...more }: CardFold) {
  return html`<details class="card card-fold" ${more.isOpen ? html`open` : ''}>
    <summary>
      ${name === undefined ? '' : icon(name)}
      <h2>${title}</h2>
      ${fact === undefined ? '' : html`<small class="when-closed">${fact}</small>`}
      ${more.isText ? '' : html`<small class="when-open">Cancel</small>`} ${icon('chevron-down')}
    </summary>
    <div class="body" id="${id}">${content}</div>
  </details>`;
}

/** More of the same thing, below a quiet line that opens it. */
export function more(words: string, content: HtmlSafeString, isOpen = false): HtmlSafeString {
  return html`<details class="more" ${isOpen ? html`open` : ''}>
    <summary>${words}${icon('chevron-down')}</summary>
    ${content}
  </details>`;
}
