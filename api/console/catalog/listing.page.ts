import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ListingForm, ProductListing } from '../../../domain/catalog/listing.repository.ts';
import type { Pictures } from '../../../domain/catalog/pictures/picture.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { formFields } from '../../html/form.ts';
import { field } from '../../html/parts/field.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { blockNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { productPill } from '../../html/status-pills.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { importCard } from '../imports/import-card.ts';
import { listingChecklist } from './listing-checklist.ts';
import { listingConflict } from './listing-conflict.ts';
import {
  FIELD_LABELS,
  listingFields,
  toFields,
  writeField,
  type ListingDraft,
  type ListingField,
} from './listing-form.ts';
import { picturesCards, type PictureDraft } from './pictures-cards.ts';

type Props = {
  product: ManagedProduct;
  listing: ProductListing;
  /** The version that the form changes. */
  version: number;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  draft: ListingDraft | null;
  /** What was typed, where another writer has saved the listing meanwhile. */
  conflict: ListingForm | null;
  pictures: Pictures;
  pictureDraft: PictureDraft | null;
  /** Only a product that people sign in to has an address where that begins. */
  hasClient: boolean;
  oldSlugs: string[];
  formToken: string;
};

export function listingPage(props: Props): View {
  const { product, blockReason } = props;
  const isListed = product.state === 'listed';
  return {
    title: `Listing of ${product.name}`,
    ...productFrame(product, '/listing', 'Listing', {
      state: isListed ? productPill(product) : '',
      actions: button({
        text: isListed ? 'View in store' : 'Preview',
        href: `/p/${product.slug}`,
        isExternal: true,
      }),
    }),
    content: html`
      ${blockNotice(blockReason)} ${conflictOf(props)}
      <div class="stack wide-forms">
        ${product.state === 'draft' ? checklist(props) : ''}
        ${blockReason === null ? importOf(props) : ''}
        ${blockReason === null ? textCards(props) : card({ title: 'Text', body: facts(props) })}
        ${picturesCards({ ...props, canEdit: blockReason === null, draft: props.pictureDraft })}
        ${blockReason === null ? addressCard(props) : ''}
      </div>
    `,
  };
}

function checklist({ product: { slug }, listing, pictures }: Props): HtmlSafeString {
  return listingChecklist({ slug, required: { ...listing, hasIcon: pictures.icon !== null } });
}

function importOf({ product: { slug }, listing, formToken: token }: Props): HtmlSafeString {
  return importCard({ slug, address: listing.websiteUrl, formToken: token });
}

function conflictOf({ product: { slug }, listing, conflict }: Props): HtmlSafeString | '' {
  return conflict === null ? '' : listingConflict({ slug, typed: conflict, saved: listing });
}

function facts({ product, listing }: Props): HtmlSafeString {
  const values = toFields(listing);
  const fields = Object.keys(FIELD_LABELS) as ListingField[];
  return factList([
    ...fields.map((name): Fact => [
      FIELD_LABELS[name],
      html`<span class="typed">${writeField(name, values) || 'Not set'}</span>`,
    ]),
    ['Slug', html`<code>${product.slug}</code>`],
  ]);
}

function textCards(props: Props): HtmlSafeString {
  const { product, version, conflict, formToken: token } = props;
  const { read, opened } = listingFields(props);
  const save = button({ text: conflict === null ? 'Save text' : 'Save mine', kind: 'primary' });
  return html`<form method="post" action="${productPath(product.slug)}/listing">
    ${formToken(token)} <input type="hidden" name="version" value="${version}" />
    <div class="stack">
      ${card({ title: 'What buyers read', body: read })}
      ${card({
        title: 'How it opens',
        body: opened,
        foot: html`<p>Your customers see both at once.</p>
          ${save}`,
      })}
    </div>
  </form>`;
}

function addressCard({ product, draft, oldSlugs, formToken: token }: Props): HtmlSafeString {
  const fields = formFields(draft, { slug: product.slug });
  return card({
    title: 'Address',
    facts: 'Links with an old slug keep working',
    body: html`<form method="post" action="${productPath(product.slug)}/listing/slug">
      ${formToken(token)}
      ${field(
        fields('slug', {
          label: 'Slug',
          hint: `The product is at /p/${product.slug}. A slug has 3 to 48 lowercase letters, digits and dashes.`,
        }),
      )}
      ${button({ text: 'Change slug' })}
    </form>`,
    ...(oldSlugs.length > 0 && {
      foot: html`<p>
        Old slugs that still work:
        ${oldSlugs.map((old, index) => html`${index === 0 ? '' : ', '}<code>${old}</code>`)}
      </p>`,
    }),
  });
}
