import { html, type HtmlSafeString } from '@prairielearn/html';

/** An export for programs, and the same one for spreadsheets. */
export function csvLinks(href: string, text: string): HtmlSafeString {
  const marked = `${href}${href.includes('?') ? '&' : '?'}for=spreadsheet`;
  return html`<p>
    <a href="${href}" download>${text}</a>, or as
    <a href="${marked}" download>CSV for spreadsheets</a>
  </p>`;
}
