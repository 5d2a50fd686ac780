import { z } from 'zod';
import {
  LONGEST_DESCRIPTION,
  LONGEST_TAG_LIST,
  validateDescription,
  validateSupportAddress,
  validateTags,
  type SupportProblem,
  type TagProblem,
} from '../../../domain/catalog/listing-fields.ts';
import { CATEGORIES, PLATFORMS } from '../../../domain/catalog/listing-words.ts';
import type { ListingForm } from '../../../domain/catalog/listing.repository.ts';
import {
  LONGEST_ADDRESS,
  validateAddress,
  type AddressProblem,
} from '../../../domain/catalog/product-address.ts';
import {
  LONGEST_REFUND_TERMS,
  validateProductName,
  validateRefundTerms,
  validateTagline,
} from '../../../domain/catalog/product-fields.ts';
import { explain } from '../../account/field-problems.ts';
import { given, matching, text } from '../../http/fields.ts';
import { writeCount } from '../../html/numbers.ts';
import { toFields, type ListingField } from './listing-form.ts';

const DELIVERIES = ['entitlement_api', 'external_store', 'affiliate'] as const;

const platform = z.enum(PLATFORMS);

/** A box that is not ticked is not sent, one that is ticked alone is no list. */
const ticked = z
  .union([platform.transform((one) => [one]), z.array(platform)])
  .default([])
  .transform((sent) => PLATFORMS.filter((known) => sent.includes(known)));

const address = text(LONGEST_ADDRESS).optional();

const listingForm = z.object({
  version: matching(/^\d{1,9}$/, 9).transform(Number),
  name: text(80),
  tagline: text(140),
  delivery: z.enum(DELIVERIES),
  website_url: address,
  sign_in_url: address,
  refund_terms: given(LONGEST_REFUND_TERMS).optional(),
  description: given(LONGEST_DESCRIPTION).optional(),
  category: z.enum([...CATEGORIES, '']).optional(),
  platforms: ticked,
  tags: text(LONGEST_TAG_LIST).optional(),
  docs_url: address,
  support_url: address,
  source_url: address,
  changelog_url: address,
  support_address: address,
});

/** A description of 32 KiB takes three times as much as the field of a form. */
export const LISTING_BODY = { kind: 'form', shape: listingForm, limitBytes: 128 * 1_024 } as const;

const TERMS_TOO_LONG = `Use at most ${writeCount(LONGEST_REFUND_TERMS)} characters.`;
const DESCRIPTION_TOO_LONG = `Use at most ${writeCount(LONGEST_DESCRIPTION)} characters and 32 KiB.`;

const ADDRESS_SENTENCES: Record<AddressProblem, string> = {
  too_long: 'This is too long.',
  not_a_url: 'Enter a full address, such as https://example.com/app.',
  not_https: 'Use an address that starts with https://.',
  own_address: 'This is an address of Gatehouse. Enter an address of your product.',
};

const SUPPORT_SENTENCES: Record<SupportProblem, string> = {
  ...ADDRESS_SENTENCES,
  not_a_url: 'Enter an email address, or a full address such as https://example.com/help.',
  not_an_address: 'Enter a valid email address.',
};

const TAG_SENTENCES: Record<TagProblem, string> = {
  not_a_tag: 'A tag has 2 to 24 lowercase letters, digits and dashes.',
  too_many: 'Use at most 12 tags.',
};

const said = <Problem extends string>(
  problem: Problem | null,
  sentences: Record<Problem, string>,
): string | null => problem && sentences[problem];

/** Validates what was typed. A field that the form did not show stays. */
export function validateListing(
  typed: z.output<typeof listingForm>,
  { saved, platformUrl }: { saved: ListingForm; platformUrl: string },
) {
  const asked = { ...toFields(saved), ...withoutAbsent(typed) };
  const addressOf = (field: ListingField) => validateAddress(asked[field], platformUrl);
  const name = validateProductName(asked.name);
  const tagline = validateTagline(asked.tagline);
  const terms = validateRefundTerms(asked.refund_terms);
  const description = validateDescription(asked.description);
  const tags = validateTags(asked.tags);
  const [website, signIn] = [addressOf('website_url'), addressOf('sign_in_url')];
  const [docs, help] = [addressOf('docs_url'), addressOf('support_url')];
  const [source, changelog] = [addressOf('source_url'), addressOf('changelog_url')];
  const support = validateSupportAddress(asked.support_address, platformUrl);
  const values: ListingForm = {
    name: name.value,
    tagline: tagline.value,
    delivery: typed.delivery,
    websiteUrl: website.value,
    signInUrl: signIn.value,
    refundTerms: terms.value,
    description: description.value,
    category: CATEGORIES.find((known) => known === asked.category) ?? null,
    platforms: typed.platforms,
    tags: tags.value,
    docsUrl: docs.value,
    supportUrl: help.value,
    sourceUrl: source.value,
    changelogUrl: changelog.value,
    supportAddress: support.value,
  };
  const problems = {
    name: explain(name.problem),
    tagline: explain(tagline.problem),
    refund_terms: terms.problem === 'too_long' ? TERMS_TOO_LONG : explain(terms.problem),
    description:
      description.problem === 'too_long' ? DESCRIPTION_TOO_LONG : explain(description.problem),
    tags: said(tags.problem, TAG_SENTENCES),
    website_url: said(website.problem, ADDRESS_SENTENCES),
    sign_in_url: said(signIn.problem, ADDRESS_SENTENCES),
    docs_url: said(docs.problem, ADDRESS_SENTENCES),
    support_url: said(help.problem, ADDRESS_SENTENCES),
    source_url: said(source.problem, ADDRESS_SENTENCES),
    changelog_url: said(changelog.problem, ADDRESS_SENTENCES),
    support_address: said(support.problem, SUPPORT_SENTENCES),
  };
  const isValid = Object.values(problems).every((problem) => problem === null);
  return { values, problems, isValid };
}

type SentFields = Partial<Record<ListingField, string>>;

/** An absent field would hide the saved one; the platforms are a list. */
function withoutAbsent({ platforms, ...typed }: z.output<typeof listingForm>): SentFields {
  const sent = Object.entries(typed).filter(([, value]) => typeof value === 'string');
  return { ...Object.fromEntries(sent), platforms: platforms.join(', ') };
}
