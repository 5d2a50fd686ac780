import { html, type HtmlSafeString } from '@prairielearn/html';

/** Links to an email address, in which a `%` or `?` means itself. */
export function mailLink(address: string): HtmlSafeString {
  const encoded = address.split('@').map(encodeURIComponent).join('@');
  return html`<a href="mailto:${encoded}">${address}</a>`;
}
