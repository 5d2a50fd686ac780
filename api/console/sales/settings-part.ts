// One setting of a product as a card.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { card } from '../../html/parts/card.ts';
import { roleBlockReason } from '../managed-product.ts';

type Part = {
  id: string;
  title: string;
  mark?: HtmlSafeString | '';
  body: HtmlSafeString;
  /** The buttons, or the roles that may use them. */
  actions: HtmlSafeString | '';
};

/** A setting: how it stands, and what can be done about it. */
export function part({ id, title, mark = '', body, actions }: Part): HtmlSafeString {
  return html`<div id="${id}">
    ${card({
      title,
      facts: html`${mark}`,
      body: html`${body} ${actions === '' ? '' : html`<div class="buttons">${actions}</div>`}`,
    })}
  </div>`;
}

/** The button, or the roles that may use it. */
export function allowed(
  product: ManagedProduct,
  action: Parameters<typeof roleBlockReason>[1],
  show: () => HtmlSafeString,
): HtmlSafeString {
  const blockReason = roleBlockReason(product, action);
  return blockReason === null ? show() : html`<p class="muted"><small>${blockReason}</small></p>`;
}
