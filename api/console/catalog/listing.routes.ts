import { changeListing, changeSlug } from '../../../domain/catalog/listing.command.ts';
import {
  listEarlierSlugs,
  loadListing,
  type ListingForm,
} from '../../../domain/catalog/listing.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { validateSlug } from '../../../domain/catalog/product-fields.ts';
import { loadPictures } from '../../../domain/catalog/pictures/picture.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { text, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import {
  auditEntryOn,
  loadManaged,
  roleBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import { explainSlug } from './slug-labels.ts';
import { toFields, type ListingDraft } from './listing-form.ts';
import { listingPage } from './listing.page.ts';
import { LISTING_BODY, validateListing } from './listing.schema.ts';
import type { PictureDraft } from './pictures-cards.ts';

const PATH = '/console/products/:ref/listing';
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
  input: { params: productRef, body: LISTING_BODY },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const em = context.services.database.em();
    const saved = await loadListing(em, product.id);
    const platformUrl = context.services.config.baseUrl;
    const { isValid, values, problems } = validateListing(context.body, { saved, platformUrl });
    const typed = toFields(values);
    const { version } = context.body;
    if (!isValid) return show(context, product, { draft: { typed, problems }, version });
    const input = { ...auditEntryOn(context, product), text: values, version };
    const changed = await changeListing(context.services.database.em(), input);
    if (!isRefusal(changed)) {
      return redirect(withNotice(`${productPath(product.slug)}/listing`, 'saved'));
    }
    if (changed.refused === 'removed') throw new HttpError('not_found');
    const isStale = changed.refused === 'stale';
    return isStale
      ? show(context, product, { draft: { typed, problems: {} }, conflict: values })
      : show(context, product, { draft: { typed, problems: FIXED }, version });
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
      show(context, product, { draft: { typed: { slug }, problems: { slug: reason } } });
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

type Unsaved = {
  draft?: ListingDraft;
  /** What was typed against an earlier version than the saved one. */
  conflict?: ListingForm;
  /** The version that the writer had read; by default the writer reads it now. */
  version?: number;
  pictureDraft?: PictureDraft;
};

async function show(
  context: ProductCall,
  product: ManagedProduct,
  { draft, conflict, version, pictureDraft }: Unsaved = {},
) {
  const em = context.services.database.em();
  const listing = await loadListing(em, product.id);
  const view = listingPage({
    product,
    listing,
    version: version ?? listing.version,
    blockReason: roleBlockReason(product, 'edit_listing'),
    draft: draft ?? null,
    conflict: conflict ?? null,
    pictures: await loadPictures(em, product.id),
    pictureDraft: pictureDraft ?? null,
    hasClient: (await listClients(em, product.id)).length > 0,
    oldSlugs: await listEarlierSlugs(em, product.id),
    formToken: sessionFormToken(context),
  });
  if (conflict !== undefined) return page(context, view, { status: 409 });
  const isRefused = draft !== undefined || pictureDraft !== undefined;
  return page(context, view, isRefused ? { status: 422 } : {});
}

/** Shows the listing with what is wrong with a picture. */
export function showListingOf(context: ProductCall, product: ManagedProduct, draft: PictureDraft) {
  return show(context, product, { pictureDraft: draft });
}

export const routes = [showListing, saveListing, saveSlug];
