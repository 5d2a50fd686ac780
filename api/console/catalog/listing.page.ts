import { html } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';

type ListingFields = Pick<
  ManagedProduct,
  'name' | 'tagline' | 'delivery' | 'websiteUrl' | 'signInUrl' | 'refundTerms'
>;

/** The texts of a listing as the fields of its form have them. */
export function toFields(listing: ListingFields) {
  const { name, tagline, delivery, websiteUrl, signInUrl, refundTerms } = listing;
  const addresses = { website_url: websiteUrl ?? '', sign_in_url: signInUrl ?? '' };
  return { name, tagline, delivery, ...addresses, refund_terms: refundTerms ?? '' };
}

export type ListingDraft = Draft<keyof ReturnType<typeof toFields> | 'slug'>;

type Props = {
  product: ManagedProduct;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  draft: ListingDraft | null;
  /** Only a product that people sign in to has an address where that begins. */
  hasClient: boolean;
  oldSlugs: string[];
  formToken: string;
};

export const DELIVERY_WORDS = {
  entitlement_api: 'Sold here, access through the entitlement API',
  external_store: 'Sold in another store',
  affiliate: 'Sold elsewhere through an affiliate link',
} as const;

export function listingPage(props: Props): View {
  const { product, blockReason } = props;
  return {
    title: `Listing of ${product.name}`,
    ...productFrame(product, '/listing', 'Listing'),
    content: html`
      ${blockNotice(blockReason)} ${blockReason === null ? forms(props) : facts(product)}
    `,
  };
}

function facts(product: ManagedProduct) {
  const { name, tagline, delivery, slug, websiteUrl, signInUrl, refundTerms } = product;
  return html`<dl class="facts">
    <dt>Name</dt>
    <dd>${name}</dd>
    <dt>Tagline</dt>
    <dd>${tagline}</dd>
    <dt>Delivery</dt>
    <dd>${DELIVERY_WORDS[delivery]}</dd>
    <dt>Website</dt>
    <dd class="id">${websiteUrl ?? 'Not set'}</dd>
    ${
      signInUrl === null
        ? ''
        : html`<dt>Start of sign-in</dt>
            <dd class="id">${signInUrl}</dd>`
    }
    <dt>Refund terms</dt>
    <dd class="typed">${refundTerms ?? 'Not set'}</dd>
    <dt>Slug</dt>
    <dd><code>${slug}</code></dd>
  </dl>`;
}

function forms({ product, draft, hasClient, oldSlugs, formToken: token }: Props) {
  const fields = formFields(draft, { ...toFields(product), slug: product.slug });
  const path = `${productPath(product.slug)}/listing`;
  return html`<div class="slim">
    ${form({
      action: path,
      token,
      button: 'Save',
      isMain: true,
      fields: [
        fields('name', { label: 'Name' }),
        fields('tagline', { label: 'Tagline', hint: 'One sentence of at most 140 characters.' }),
        fields('delivery', {
          label: 'Delivery',
          options: Object.entries(DELIVERY_WORDS).map(([value, label]) => ({ value, label })),
          hint: 'You can change this only in a draft without keys, clients, endpoints or grants.',
        }),
        fields('website_url', WEBSITE),
        ...(hasClient || fields('sign_in_url', SIGN_IN).value !== ''
          ? [fields('sign_in_url', SIGN_IN)]
          : []),
        fields('refund_terms', {
          label: 'Refund terms',
          rows: 4,
          isRequired: false,
          hint: 'When buyers get their money back, in at most 2,000 characters. Buyers read it at the buy button.',
        }),
      ],
    })}
    <section>
      <h2>URL</h2>
      <p>The product is at <code>/p/${product.slug}</code>. Links with an old slug keep working.</p>
      ${form({
        action: `${path}/slug`,
        token,
        button: 'Change slug',
        fields: [
          fields('slug', { label: 'Slug', hint: '3 to 48 lowercase letters, digits and dashes.' }),
        ],
      })}
      ${
        oldSlugs.length === 0
          ? ''
          : html`<p>
              Old slugs that still work:
              ${oldSlugs.map((old, index) => html`${index === 0 ? '' : ', '}<code>${old}</code>`)}
            </p>`
      }
    </section>
  </div>`;
}

const WEBSITE = {
  label: 'Website',
  type: 'url',
  isRequired: false,
  hint: 'Where customers use the product. Open leads there from the library, the receipt and the product page.',
} as const;

const SIGN_IN = {
  label: 'Start of sign-in',
  type: 'url',
  isRequired: false,
  hint: 'The address in your product that begins a sign-in with Gatehouse. Open leads there instead of the website, so that customers arrive signed in.',
} as const;
