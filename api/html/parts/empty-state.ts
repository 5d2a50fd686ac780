import { html, type HtmlSafeString } from '@prairielearn/html';
import { gate } from '../emblems.ts';

export type Empty = { title?: string; sentence: string; link?: { path: string; label: string } };

/** Stands where a list has no rows: why, and the way on. With a title it fills the page. */
export function emptyState({ title, sentence, link }: Empty): HtmlSafeString {
  if (title === undefined)
    return html`<p class="muted">
      ${sentence} ${link ? html`<a href="${link.path}">${link.label}</a>` : ''}
    </p>`;
  return html`<section class="card empty">
    ${gate('open')}
    <h2>${title}</h2>
    <p>${sentence}</p>
    ${
      link
        ? html`<div class="actions">
            <a class="button primary" href="${link.path}">${link.label}</a>
          </div>`
        : ''
    }
  </section>`;
}
