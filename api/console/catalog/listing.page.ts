import { html } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { form, type Field } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';

export type ListingValues = {
  name: string;
  tagline: string;
  delivery: string;
  websiteUrl: string | null;
  signInUrl: string | null;
  refundTerms: string | null;
};
export type ListingProblems = Partial<Record<keyof ListingValues | 'slug', string | null>>;

type Props = {
  product: ManagedProduct;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  values: ListingValues;
  slug: string;
  /** Only a product that people sign in to has an address where that begins. */
  hasClient: boolean;
  problems: ListingProblems;
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

function forms(props: Props) {
  const { product, values, slug, problems, oldSlugs, formToken: token } = props;
  const path = `${productPath(product.slug)}/listing`;
  return html`<div class="slim">
    ${form({
      action: path,
      token,
      button: 'Save',
      fields: [
        { label: 'Name', name: 'name', value: values.name, problem: problems.name },
        {
          label: 'Tagline',
          name: 'tagline',
          value: values.tagline,
          hint: 'One sentence of at most 140 characters.',
          problem: problems.tagline,
        },
        {
          label: 'Delivery',
          name: 'delivery',
          value: values.delivery,
          options: Object.entries(DELIVERY_WORDS).map(([value, label]) => ({ value, label })),
          hint: 'You can change this only in a draft without keys, clients, endpoints or grants.',
          problem: problems.delivery,
        },
        ...addressFields(props),
        {
          label: 'Refund terms',
          name: 'refund_terms',
          value: values.refundTerms ?? '',
          rows: 4,
          isRequired: false,
          hint: 'When buyers get their money back, in at most 2,000 characters. Buyers read it at the buy button.',
          problem: problems.refundTerms,
        },
      ],
    })}
    <section>
      <h2>URL</h2>
      <p>The product is at <code>/p/${product.slug}</code>. Links with an old slug keep working.</p>
      ${form({
        action: `${path}/slug`,
        token,
        button: 'Change slug',
        isSecondary: true,
        fields: [
          {
            label: 'Slug',
            name: 'slug',
            value: slug,
            hint: '3 to 48 lowercase letters, digits and dashes.',
            problem: problems.slug,
          },
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

function addressFields({ values, problems, hasClient }: Props): Field[] {
  const website: Field = {
    label: 'Website',
    name: 'website_url',
    type: 'url',
    value: values.websiteUrl ?? '',
    isRequired: false,
    hint: 'Where customers use the product. Open leads there from the library, the receipt and the product page.',
    problem: problems.websiteUrl,
  };
  if (!hasClient && values.signInUrl === null) return [website];
  const signIn: Field = {
    label: 'Start of sign-in',
    name: 'sign_in_url',
    type: 'url',
    value: values.signInUrl ?? '',
    isRequired: false,
    hint: 'The address in your product that begins a sign-in with Gatehouse. Open leads there instead of the website, so that customers arrive signed in.',
    problem: problems.signInUrl,
  };
  return [website, signIn];
}
