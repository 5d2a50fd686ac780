// How somebody with access gets to the product.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { button } from './parts/button.ts';

type Opened = { name: string; openUrl: string | null };

/** Tells the buyer that no address is set, instead of leading back to the store. */
export const NO_ADDRESS =
  'The maker has not added a link to this product. Use it on its own website or in its app.';

export function openButton({ name, openUrl }: Opened): HtmlSafeString {
  if (openUrl === null) return html`<p class="hint" data-open="none">${NO_ADDRESS}</p>`;
  return button({
    text: `Open ${name}`,
    href: openUrl,
    kind: 'primary',
    size: 'large',
    isExternal: true,
    mark: html`data-open`,
  });
}

/** The host of an address; where only the host is shown, it is that. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
