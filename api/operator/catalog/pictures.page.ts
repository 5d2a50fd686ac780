import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ShownImage } from '../../../domain/catalog/pictures/picture.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/dates.ts';
import { form } from '../../html/form.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { imagePath } from '../../html/image-path.ts';
import { card } from '../../html/parts/card.ts';
import { operatorPage, PICTURES } from '../operator.page.ts';
import { productCell } from '../product-cell.ts';

export const LONGEST_PICTURE = 300;

type Props = {
  /** What was typed: the address of a picture, or its hash. */
  find: string;
  /** Is null where no picture was found. */
  found: (ShownImage & { hash: string }) | null;
  token: string;
};

export function picturesPage({ find, found, token }: Props): View {
  const field = searchField({
    label: 'Address of the picture',
    name: 'picture',
    value: find,
    maxLength: LONGEST_PICTURE,
    isRequired: true,
  });
  return operatorPage({
    section: PICTURES,
    title: 'Pictures',
    lead: 'Take down an icon or a screenshot that must not be shown.',
    content: html`${filterForm({ path: PICTURES, fields: [field], button: 'Find picture' })}
    ${find === '' ? '' : found === null ? NOT_FOUND : picture(found, token)}`,
  });
}

const NOT_FOUND = html`<p class="muted" role="status">There is no picture at this address.</p>`;

function picture(found: NonNullable<Props['found']>, token: string): HtmlSafeString {
  const { hash, takenDownAt, products } = found;
  if (takenDownAt !== null) {
    return card({
      title: 'Taken down',
      body: html`<p>
        This picture was taken down ${instant(takenDownAt)}. Its upload is refused.
      </p>`,
    });
  }
  return html`${card({
    title: 'Picture',
    facts: html`<code class="id">${hash}</code>`,
    body: html`<img src="${imagePath(hash, 640)}" alt="The picture at this address" />`,
    rows: html`<ul class="rows">
      ${
        products.length === 0
          ? html`<li>No product shows it.</li>`
          : products.map(
              ({ kind, ...product }) => html`<li>${productCell({ ...product, more: kind })}</li>`,
            )
      }
    </ul>`,
  })}
  ${card({
    title: 'Take it down',
    body: html`<p>
        No product shows it any more, and nobody can upload it again. Its bytes are erased. Browsers
        that have loaded it may keep their copy. <strong>This cannot be undone.</strong>
      </p>
      ${form({
        action: PICTURES,
        token,
        button: 'Take the picture down',
        hidden: { picture: hash },
        isDangerous: true,
      })}`,
  })}`;
}
