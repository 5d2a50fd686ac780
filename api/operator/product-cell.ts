import { html, type HtmlSafeString } from '@prairielearn/html';
import { productPath } from '../console/console-frame.ts';
import { appIcon } from '../html/emblems.ts';
import { named } from '../html/parts/named.ts';

type Product = {
  slug: string;
  name: string;
  /** A second line. */
  more?: HtmlSafeString | string;
  /** The page of the product; by default its overview. */
  path?: string;
};

/** A product in a table: its icon, and its name as the way to it. */
export function productCell({ slug, name, more, path = productPath(slug) }: Product) {
  return named({
    mark: appIcon({ slug, name }, more === undefined ? 24 : 34),
    name: html`<a href="${path}">${name}</a>`,
    ...(more !== undefined && { line: more }),
  });
}
