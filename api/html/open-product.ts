// How somebody with access gets to the product.
import { html, type HtmlSafeString } from '@prairielearn/html';

type Opened = { name: string; openUrl: string | null };

/** Tells the buyer that no address is set, instead of leading back to the store. */
export const NO_ADDRESS =
  'The seller has not added a link to this product. Use it on its own website or in its app.';

export function openButton({ name, openUrl }: Opened): HtmlSafeString {
  if (openUrl === null) return html`<p class="muted" data-open="none">${NO_ADDRESS}</p>`;
  return html`<p><a role="button" href="${openUrl}" data-open>Open ${name}</a></p>`;
}
