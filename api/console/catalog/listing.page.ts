import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { field, select } from '../../html/parts/field.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { factList } from '../../html/parts/facts.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { blockNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { productPill } from '../../html/status-pills.ts';
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

const DELIVERY_WORDS = {
  entitlement_api: 'Sold here, access through the entitlement API',
  external_store: 'Sold in another store',
  affiliate: 'Sold elsewhere through an affiliate link',
} as const;

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
      ${blockNotice(blockReason)}
      ${
        blockReason === null
          ? html`<div class="stack wide-forms">${textCard(props)} ${addressCard(props)}</div>`
          : card({ title: 'Text', body: facts(product) })
      }
    `,
  };
}

function facts(product: ManagedProduct): HtmlSafeString {
  const { name, tagline, delivery, slug, websiteUrl, signInUrl, refundTerms } = product;
  return factList([
    ['Name', name],
    ['Tagline', tagline],
    ['Delivery', DELIVERY_WORDS[delivery]],
    ['Website', html`<span class="id">${websiteUrl ?? 'Not set'}</span>`],
    signInUrl !== null && ['Start of sign-in', html`<span class="id">${signInUrl}</span>`],
    ['Refund terms', html`<span class="typed">${refundTerms ?? 'Not set'}</span>`],
    ['Slug', html`<code>${slug}</code>`],
  ]);
}

function textCard({ product, draft, hasClient, formToken: token }: Props): HtmlSafeString {
  const fields = formFields(draft, toFields(product));
  const signIn = fields('sign_in_url', SIGN_IN);
  const tagline = fields('tagline', { label: 'Tagline' });
  const length = [...tagline.value].length;
  return card({
    title: 'Text',
    facts: 'Your customers see changes at once',
    body: html`<form method="post" action="${productPath(product.slug)}/listing">
      ${formToken(token)}
      <div class="pair">
        ${field(fields('name', { label: 'Name' }))} ${field(fields('website_url', WEBSITE))}
      </div>
      ${field({ ...tagline, hint: `One sentence, ${length} of 140 characters.` })}
      ${hasClient || signIn.value !== '' ? field(signIn) : ''}
      ${select(
        fields('delivery', {
          label: 'Delivery',
          options: Object.entries(DELIVERY_WORDS).map(([value, label]) => ({ value, label })),
          hint: 'You can change this only in a draft without keys, clients, endpoints or grants.',
        }),
      )}
      ${field(
        fields('refund_terms', {
          label: 'Refund terms',
          rows: 4,
          isRequired: false,
          isOptional: true,
          hint: 'When buyers get their money back, in at most 2,000 characters. Buyers read it at the buy button.',
        }),
      )}
      ${button({ text: 'Save text', kind: 'primary' })}
    </form>`,
  });
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

const WEBSITE = {
  label: 'Website',
  type: 'url',
  isRequired: false,
  isOptional: true,
  hint: 'Where customers use the product. Open leads there from the library, the receipt and the product page.',
} as const;

const SIGN_IN = {
  label: 'Start of sign-in',
  type: 'url',
  isRequired: false,
  hint: 'The address in your product that begins a sign-in with Gatehouse. Open leads there instead of the website, so that customers arrive signed in.',
} as const;
