import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Screenshot } from '../../domain/catalog/pictures/picture.ts';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import { imagePath } from '../html/image-path.ts';

type Props = { product: Pick<ProductView, 'name'>; screenshots: readonly Screenshot[] };

/** The screenshots of a product, the first one large; each leads to its whole picture. */
export function gallery({ product: { name }, screenshots }: Props): HtmlSafeString | '' {
  if (screenshots.length === 0) return '';
  return html`<ul class="gallery" aria-label="Screenshots">
    ${screenshots.map(
      ({ hash, alt }, index) =>
        html`<li>
          <a href="${imagePath(hash, 1600)}"
            ><img
              src="${imagePath(hash, 640)}"
              srcset="${imagePath(hash, 640)} 1x, ${imagePath(hash, 1600)} 2x"
              alt="${alt || `Screenshot ${index + 1} of ${name}`}"
              ${index < SHOWN_AT_ONCE ? '' : html`loading="lazy"`}
          /></a>
        </li>`,
    )}
  </ul>`;
}

/** Further ones are out of sight until somebody scrolls. */
const SHOWN_AT_ONCE = 3;
