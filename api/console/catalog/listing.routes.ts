import { z } from 'zod';
import { changeListing, changeSlug } from '../../../domain/catalog/listing.command.ts';
import { listEarlierSlugs, type ProductText } from '../../../domain/catalog/listing.repository.ts';
import {
  LONGEST_ADDRESS,
  validateAddress,
  type AddressProblem,
} from '../../../domain/catalog/product-address.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import {
  LONGEST_REFUND_TERMS,
  validateProductName,
  validateRefundTerms,
  validateSlug,
  validateTagline,
} from '../../../domain/catalog/product-fields.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { explain } from '../../account/field-problems.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { given, text, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { writeCount } from '../../html/numbers.ts';
import { productPath } from '../console-frame.ts';
import {
  auditEntryOn,
  loadManaged,
  roleBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import { explainSlug } from './slug-labels.ts';
import { listingPage, toFields, type ListingDraft } from './listing.page.ts';

const PATH = '/console/products/:ref/listing';
const DELIVERIES = ['entitlement_api', 'external_store', 'affiliate'] as const;

const listingForm = z.object({
  name: text(80),
  tagline: text(140),
  delivery: z.enum(DELIVERIES),
  website_url: text(LONGEST_ADDRESS).optional(),
  sign_in_url: text(LONGEST_ADDRESS).optional(),
  refund_terms: given(LONGEST_REFUND_TERMS).optional(),
});

const showListing = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the listing',
  input: { params: productRef },
  handler: async (context) => show(context, await loadManaged(context)),
});

const saveListing = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Change the listing',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: listingForm } },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const platformUrl = context.services.config.baseUrl;
    const { isValid, values, problems } = validateListing(context.body, { product, platformUrl });
    const typed = toFields(values);
    if (!isValid) return show(context, product, { typed, problems });
    const input = { ...auditEntryOn(context, product), text: values };
    const changed = await changeListing(context.services.database.em(), input);
    if (isRefusal(changed)) {
      if (changed.refused === 'removed') throw new HttpError('not_found');
      return show(context, product, { typed, problems: FIXED });
    }
    return redirect(withNotice(`${productPath(product.slug)}/listing`, 'saved'));
  },
});

const saveSlug = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/slug`,
  summary: 'Change the slug',
  proof: 'none',
  input: { params: productRef, body: formBody({ slug: text(48) }) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { value: slug, problem } = validateSlug(context.body.slug);
    const refuse = (reason: string | null) =>
      show(context, product, { typed: { slug }, problems: { slug: reason } });
    if (problem !== null) return refuse(explainSlug(problem));
    const input = { ...auditEntryOn(context, product), slug };
    const changed = await changeSlug(context.services.database.em(), input);
    if (isRefusal(changed) && changed.refused !== 'same') {
      if (changed.refused === 'removed') throw new HttpError('not_found');
      return refuse(REFUSALS[changed.refused]);
    }
    return redirect(withNotice(`${productPath(slug)}/listing`, 'saved'));
  },
});

const FIXED: ListingDraft['problems'] = {
  delivery: 'You can change this only in a draft without keys, clients, endpoints or grants.',
};

const REFUSALS = {
  slug_taken: 'This slug is taken. Choose another one.',
  too_many: 'A product can have at most 20 slugs. Choose one that this product already had.',
};

/** A field that the form did not show stays. */
function validateListing(
  typed: z.output<typeof listingForm>,
  { product, platformUrl }: { product: ManagedProduct; platformUrl: string },
) {
  const { website_url = product.websiteUrl ?? '', sign_in_url = product.signInUrl ?? '' } = typed;
  const name = validateProductName(typed.name);
  const tagline = validateTagline(typed.tagline);
  const website = validateAddress(website_url, platformUrl);
  const signIn = validateAddress(sign_in_url, platformUrl);
  const terms = validateRefundTerms(typed.refund_terms ?? product.refundTerms ?? '');
  const values: ProductText = {
    name: name.value,
    tagline: tagline.value,
    delivery: typed.delivery,
    websiteUrl: website.value,
    signInUrl: signIn.value,
    refundTerms: terms.value,
  };
  const problems = {
    name: explain(name.problem),
    tagline: explain(tagline.problem),
    website_url: website.problem && ADDRESS_SENTENCES[website.problem],
    sign_in_url: signIn.problem && ADDRESS_SENTENCES[signIn.problem],
    refund_terms: terms.problem === 'too_long' ? TERMS_TOO_LONG : explain(terms.problem),
  };
  const isValid = Object.values(problems).every((problem) => problem === null);
  return { values, problems, isValid };
}

const TERMS_TOO_LONG = `Use at most ${writeCount(LONGEST_REFUND_TERMS)} characters.`;

const ADDRESS_SENTENCES: Record<AddressProblem, string> = {
  too_long: 'This is too long.',
  not_a_url: 'Enter a full address, such as https://example.com/app.',
  not_https: 'Use an address that starts with https://.',
  own_address: 'This is an address of Gatehouse. Enter an address of your product.',
};

async function show(
  context: ProductCall,
  product: ManagedProduct,
  draft: ListingDraft | null = null,
) {
  const em = context.services.database.em();
  const view = listingPage({
    product,
    blockReason: roleBlockReason(product, 'edit_listing'),
    draft,
    hasClient: (await listClients(em, product.id)).length > 0,
    oldSlugs: await listEarlierSlugs(em, product.id),
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showListing, saveListing, saveSlug];
