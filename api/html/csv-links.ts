import { html, type HtmlSafeString } from '@prairielearn/html';
import { button } from './parts/button.ts';

export const FOR_SPREADSHEETS = 'CSV for spreadsheets';

/** A file for programs, and the same one as spreadsheets read it, beside the title of their page. */
export function csvButtons(href: string): HtmlSafeString {
  const marked = `${href}${href.includes('?') ? '&' : '?'}for=spreadsheet`;
  return html`${button({ text: 'Download CSV', icon: 'download', href })}
  ${button({ text: FOR_SPREADSHEETS, icon: 'download', href: marked })}`;
}
