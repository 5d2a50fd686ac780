import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  changeProduct,
  type ProductText,
} from '../../../domain/catalog/product-lifecycle.repository.ts';
import { changeSlug, listOldSlugs } from '../../../domain/catalog/listing.repository.ts';
import { LONGEST_ADDRESS } from '../../../domain/catalog/product-address.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { LONGEST_REFUND_TERMS, validateSlug } from '../../../domain/catalog/product-fields.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
import { given, text } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import {
  auditEntryOn,
  loadManaged,
  roleBlockReason,
  type ProductCall,
} from '../managed-product.ts';
import { validateListing } from './listing-values.ts';
import { explainSlug } from './slug-labels.ts';
import { listingPage, type ListingProblems, type ListingValues } from './listing.page.ts';

const PATH = '/console/products/:ref/listing';
const DELIVERIES = ['entitlement_api', 'external_store', 'affiliate'] as const;

const showListing = defineRoute({
  ...SESSION_FORM,
  method: 'GET',
  path: PATH,
  limit: null,
  summary: 'Show the listing',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler: async (context) => show(context, await loadManaged(context)),
});

const saveListing = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Change the listing',
  proof: 'fresh',
  input: {
    params: productRef,
    body: {
      kind: 'form',
      shape: z.object({
        name: text(80),
        tagline: text(140),
        delivery: z.enum(DELIVERIES),
        website_url: text(LONGEST_ADDRESS).optional(),
        sign_in_url: text(LONGEST_ADDRESS).optional(),
        refund_terms: given(LONGEST_REFUND_TERMS).optional(),
      }),
    },
  },
  statuses: [303, 422],
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const platformUrl = context.services.config.baseUrl;
    const { isValid, ...typed } = validateListing(context.body, { product, platformUrl });
    if (!isValid) return show(context, product, typed);
    const { values } = typed;
    const refused = await save(context, product, values);
    if (refused) return show(context, product, { values, problems: refused });
    return redirect(withNotice(`${productPath(product.slug)}/listing`, 'saved'));
  },
});

const saveSlug = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/slug`,
  summary: 'Change the slug',
  proof: 'none',
  input: { params: productRef, body: { kind: 'form', shape: z.object({ slug: text(48) }) } },
  statuses: [303, 422],
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { value: slug, problem } = validateSlug(context.body.slug);
    const refused = problem === null ? await move(context, product, slug) : explainSlug(problem);
    if (refused) return show(context, product, { slug, problems: { slug: refused } });
    return redirect(withNotice(`${productPath(slug)}/listing`, 'saved'));
  },
});

const FIXED: ListingProblems = {
  delivery: 'You can change this only in a draft without keys, clients, endpoints or grants.',
};

/** Null once it is written with its line in the trail, which tells what is new. */
async function save(context: ProductCall, product: ManagedProduct, text: ProductText) {
  const { id: productId } = product;
  const saved = await context.services.database.transaction(async (em) => {
    const changed = await changeProduct(em, { productId, ...text });
    if (isRefusal(changed)) return changed;
    const isNew = ([field, value]: [string, string | null]) =>
      changed.before[field as keyof ProductText] !== value;
    const detail = Object.fromEntries(Object.entries(text).filter(isNew));
    if (Object.keys(detail).length === 0) return changed;
    const what = { action: 'product.changed', subject: productId, detail } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    return changed;
  });
  if (!isRefusal(saved)) return null;
  if (saved.refused === 'removed') throw new HttpError('not_found');
  return FIXED;
}

const REFUSALS = {
  slug_taken: 'This slug is taken. Choose another one.',
  too_many: 'A product can have at most 20 slugs. Choose one that this product already had.',
};

async function move(context: ProductCall, product: ManagedProduct, slug: string) {
  const { id: productId } = product;
  const moved = await context.services.database.transaction(async (em) => {
    const changed = await changeSlug(em, { productId, slug });
    if (isRefusal(changed)) return changed;
    const detail = { from: changed.before, to: slug };
    const what = { action: 'product.slug_changed', subject: productId, detail } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    return changed;
  });
  if (!isRefusal(moved) || moved.refused === 'same') return null;
  if (moved.refused === 'removed') throw new HttpError('not_found');
  return REFUSALS[moved.refused];
}

type Said = {
  values?: ListingValues;
  slug?: string;
  problems?: ListingProblems;
};

async function show(
  context: ProductCall,
  product: ManagedProduct,
  said: Said = {},
): Promise<HttpResponse> {
  const { values = product, slug = product.slug, problems = {} } = said;
  const em = context.services.database.em();
  const view = listingPage({
    product,
    blockReason: roleBlockReason(product, 'edit_listing'),
    values,
    slug,
    problems,
    hasClient: (await listClients(em, product.id)).length > 0,
    oldSlugs: await listOldSlugs(em, product.id),
    formToken: sessionFormToken(context),
  });
  return page(context, view, said.problems ? { status: 422 } : {});
}

export const routes = [showListing, saveListing, saveSlug];
