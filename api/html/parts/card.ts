import { html, type HtmlSafeString } from '@prairielearn/html';

type Card = {
  title?: string;
  /** A line or a legend beside the title. */
  facts?: HtmlSafeString | string;
  actions?: HtmlSafeString;
  body?: HtmlSafeString;
  /** Rows or a table, which reach the edges. */
  rows?: HtmlSafeString;
  foot?: HtmlSafeString | string;
};

/** A card has no card in it. */
export function card({ title, facts, actions, body, rows, foot }: Card): HtmlSafeString {
  const head =
    title === undefined
      ? ''
      : html`<header>
          <h2>${title}</h2>
          ${typeof facts === 'string' ? html`<p>${facts}</p>` : (facts ?? '')} ${actions ?? ''}
        </header>`;
  return html`<section class="card">
    ${head} ${body === undefined ? '' : html`<div class="body">${body}</div>`} ${rows ?? ''}
    ${foot === undefined ? '' : html`<footer>${foot}</footer>`}
  </section>`;
}
