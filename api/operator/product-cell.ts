import { html, type HtmlSafeString } from '@prairielearn/html';
import { productPath } from '../console/console-frame.ts';
import { appIcon, type IconProduct } from '../html/emblems.ts';
import { named } from '../html/parts/named.ts';

type Product = IconProduct & {
  /** A second line. */
  more?: HtmlSafeString | string;
  /** The page of the product; by default its overview. */
  path?: string;
};

/** A product in a table: its icon, and its name as the way to it. */
export function productCell({ more, ...product }: Product) {
  const { slug, name, path = productPath(slug) } = product;
  return named({
    mark: appIcon(product, more === undefined ? 24 : 34),
    name: html`<a href="${path}">${name}</a>`,
    ...(more !== undefined && { line: more }),
  });
}
