import { html, type HtmlSafeString } from '@prairielearn/html';
import { button } from './parts/button.ts';

/** An export for programs, and the same one for spreadsheets. */
export function csvLinks(href: string, text: string): HtmlSafeString {
  const marked = `${href}${href.includes('?') ? '&' : '?'}for=spreadsheet`;
  return html`<p>
    <a href="${href}" download>${text}</a>, or as
    <a href="${marked}" download>CSV for spreadsheets</a>
  </p>`;
}

/** An export beside the title of its page. */
export function csvButtons(href: string): HtmlSafeString {
  const marked = `${href}${href.includes('?') ? '&' : '?'}for=spreadsheet`;
  return html`${button({ text: 'Export CSV', icon: 'download', href })}
  ${button({ text: 'For spreadsheets', kind: 'quiet', href: marked })}`;
}
