import { html, type HtmlSafeString } from '@prairielearn/html';
import { button } from './parts/button.ts';

/** An export for programs and the same one for spreadsheets, beside the title of their page. */
export function csvButtons(href: string): HtmlSafeString {
  const marked = `${href}${href.includes('?') ? '&' : '?'}for=spreadsheet`;
  return html`${button({ text: 'Export CSV', icon: 'download', href })}
  ${button({ text: 'For spreadsheets', kind: 'quiet', href: marked })}`;
}
