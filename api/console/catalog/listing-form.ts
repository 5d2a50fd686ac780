// The fields of a listing: their names, their words, and the form.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { CATEGORIES, PLATFORMS } from '../../../domain/catalog/listing-words.ts';
import type { ListingForm } from '../../../domain/catalog/listing.repository.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { field, select } from '../../html/parts/field.ts';
import { CATEGORY_WORDS, PLATFORM_WORDS } from '../../html/listing-labels.ts';

const DELIVERY_WORDS = {
  entitlement_api: 'Sold here, access through the entitlement API',
  external_store: 'Sold in another store',
  affiliate: 'Sold elsewhere through an affiliate link',
} as const;

/** The labels of all fields, in the order of the form. */
export const FIELD_LABELS = {
  name: 'Name',
  tagline: 'Tagline',
  description: 'Description',
  category: 'Category',
  platforms: 'Platforms',
  tags: 'Tags',
  support_address: 'Support address',
  support_url: 'Help pages',
  docs_url: 'Documentation',
  source_url: 'Source code',
  changelog_url: 'Changelog',
  refund_terms: 'Refund terms',
  website_url: 'Website',
  sign_in_url: 'Start of sign-in',
  delivery: 'Delivery',
} as const;

export type ListingField = keyof typeof FIELD_LABELS;
export type ListingDraft = Draft<ListingField | 'slug'>;

/** The values of a listing as the fields of its form have them. */
export function toFields(listing: ListingForm): Record<ListingField, string> {
  return {
    name: listing.name,
    website_url: listing.websiteUrl ?? '',
    tagline: listing.tagline,
    description: listing.description ?? '',
    category: listing.category ?? '',
    platforms: listing.platforms.join(', '),
    tags: listing.tags.join(', '),
    support_address: listing.supportAddress ?? '',
    support_url: listing.supportUrl ?? '',
    docs_url: listing.docsUrl ?? '',
    source_url: listing.sourceUrl ?? '',
    changelog_url: listing.changelogUrl ?? '',
    sign_in_url: listing.signInUrl ?? '',
    delivery: listing.delivery,
    refund_terms: listing.refundTerms ?? '',
  };
}

/** The value of a field in words. */
export function writeField(name: ListingField, values: Record<ListingField, string>): string {
  const value = values[name];
  const words: Record<string, string> =
    name === 'category' ? CATEGORY_WORDS : name === 'delivery' ? DELIVERY_WORDS : {};
  if (name !== 'platforms') return words[value] ?? value;
  return PLATFORMS.filter((known) => value.split(', ').includes(known))
    .map((known) => PLATFORM_WORDS[known])
    .join(', ');
}

type Props = {
  listing: ListingForm;
  draft: ListingDraft | null;
  /** Only a product that people sign in to has an address where that begins. */
  hasClient: boolean;
};

/** What buyers read of a product, and how they open it. */
export function listingFields({ listing, draft, hasClient }: Props) {
  const saved = toFields(listing);
  const make = formFields(draft, saved);
  const one = <More extends object>(name: ListingField, more: More) =>
    make(name, { label: FIELD_LABELS[name], ...more });
  const tagline = one('tagline', {});
  const length = [...tagline.value].length;
  const signIn = one('sign_in_url', SIGN_IN);
  const read = html`<div class="stack">
    ${field(one('name', {}))}
    ${field({ ...tagline, hint: `One sentence, ${length} of 140 characters.` })}
    ${field(one('description', DESCRIPTION))}
    <div class="pair">${select(one('category', CATEGORY))} ${field(one('tags', TAGS))}</div>
    ${platformBoxes(draft?.typed.platforms ?? saved.platforms)}
    <div class="pair">
      ${field(one('support_address', SUPPORT))} ${field(one('support_url', LINK))}
    </div>
    <div class="pair">${field(one('docs_url', LINK))} ${field(one('changelog_url', LINK))}</div>
    ${field(one('source_url', LINK))} ${field(one('refund_terms', TERMS))}
  </div>`;
  const opened = html`<div class="stack">
    ${field(one('website_url', WEBSITE))} ${hasClient || signIn.value !== '' ? field(signIn) : ''}
    ${select(one('delivery', DELIVERY))}
  </div>`;
  return { read, opened };
}

function platformBoxes(chosen: string): HtmlSafeString {
  const ticked = chosen.split(', ');
  return html`<fieldset>
    <legend>${FIELD_LABELS.platforms}</legend>
    <div class="pair">
      ${PLATFORMS.map(
        (platform) =>
          html`<label>
            <input
              type="checkbox"
              name="platforms"
              value="${platform}"
              ${ticked.includes(platform) ? html`checked` : ''}
            />
            ${PLATFORM_WORDS[platform]}
          </label>`,
      )}
    </div>
  </fieldset>`;
}

const OPTIONAL = { isRequired: false, isOptional: true } as const;
const LINK = { ...OPTIONAL, type: 'url' } as const;

const WEBSITE = {
  ...LINK,
  hint: 'Where customers use the product. Open leads there from the library, the receipt and the product page.',
} as const;

const DESCRIPTION = {
  ...OPTIONAL,
  rows: 10,
  hint: 'What it does, for whom, and what it does not do. Markdown, without pictures and HTML, in at most 20,000 characters.',
} as const;

const CATEGORY = {
  options: [
    { value: '', label: 'None' },
    ...CATEGORIES.map((value) => ({ value, label: CATEGORY_WORDS[value] })),
  ],
  hint: 'The shelf of the store where people find it.',
};

const TAGS = { ...OPTIONAL, hint: 'At most 12, with commas between them.' } as const;

const SUPPORT = {
  ...OPTIONAL,
  hint: 'An email address or a page. Everyone can see it.',
} as const;

const SIGN_IN = {
  type: 'url',
  isRequired: false,
  hint: 'The address in your product that begins a sign-in with Gatehouse. Open leads there instead of the website, so that customers arrive signed in.',
} as const;

const DELIVERY = {
  options: Object.entries(DELIVERY_WORDS).map(([value, label]) => ({ value, label })),
  hint: 'You can change this only in a draft without keys, clients, endpoints or grants.',
};

const TERMS = {
  ...OPTIONAL,
  rows: 4,
  hint: 'When buyers get their money back, in at most 2,000 characters. Buyers read it at the buy button.',
} as const;
