import { z } from 'zod';
import { addRelease, removeRelease } from '../../../domain/catalog/releases/release.command.ts';
import {
  LONGEST_NOTES,
  LONGEST_VERSION,
  validateDay,
  validateNotes,
  validateVersion,
} from '../../../domain/catalog/releases/release-fields.ts';
import { listReleases } from '../../../domain/catalog/releases/release.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { explain } from '../../account/field-problems.ts';
import { given, formBody, text, uuid } from '../../http/fields.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { HttpError } from '../../http/errors.ts';
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
import { releasesPage, type ReleaseDraft } from './releases.page.ts';

const PATH = '/console/products/:ref/releases';

const showReleases = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the releases',
  input: { params: productRef },
  handler: async (context) => show(context, await loadManaged(context)),
});

const writeRelease = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Add a release',
  proof: 'fresh',
  input: {
    params: productRef,
    body: formBody({
      version: text(LONGEST_VERSION),
      published_on: text(10),
      notes: given(LONGEST_NOTES),
    }),
  },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const version = validateVersion(context.body.version);
    const day = validateDay(context.body.published_on);
    const notes = validateNotes(context.body.notes);
    const problems = {
      version: explain(version.problem),
      published_on: day.problem && 'Enter a day, such as 2026-11-27.',
      notes: notes.problem === 'too_long' ? NOTES_TOO_LONG : explain(notes.problem),
    };
    const refuse = (problems: ReleaseDraft['problems']) =>
      show(context, product, { typed: context.body, problems });
    if (Object.values(problems).some((problem) => problem !== null)) return refuse(problems);
    const added = await addRelease(context.services.database.em(), {
      ...auditEntryOn(context, product),
      version: version.value,
      publishedAt: day.value,
      notes: notes.value,
    });
    if (!isRefusal(added)) return back(product, 'release_added');
    if (added.refused === 'removed') throw new HttpError('not_found');
    return refuse({
      version: added.refused === 'version_taken' ? TAKEN : await explainTooOld(context, product),
    });
  },
});

const takeRelease = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/:release/remove`,
  summary: 'Remove a release',
  proof: 'fresh',
  input: { params: z.object({ ...productRef.shape, release: uuid() }), body: formBody({}) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const input = { ...auditEntryOn(context, product), releaseId: context.params.release };
    const removed = await removeRelease(context.services.database.em(), input);
    return back(product, isRefusal(removed) ? 'unchanged' : 'release_removed');
  },
});

const TAKEN = 'There is a release of this version. Remove it first.';

/** Names the release that is in the way: the oldest of those that are kept. */
async function explainTooOld(
  { services }: ProductCall,
  { id: productId }: ManagedProduct,
): Promise<string> {
  const kept = await listReleases(services.database.em(), { productId });
  const oldest = kept.findLast(({ source }) => source === 'hand');
  const first = oldest === undefined ? 'one' : oldest.version;
  return `The latest 50 releases are kept, and this one is older. Remove ${first} first.`;
}

const NOTES_TOO_LONG = 'Use at most 4,000 characters.';

function back({ slug }: ManagedProduct, notice: Parameters<typeof withNotice>[1]) {
  return redirect(withNotice(`${productPath(slug)}/releases`, notice));
}

async function show(
  context: ProductCall,
  product: ManagedProduct,
  draft: ReleaseDraft | null = null,
) {
  const view = releasesPage({
    product,
    releases: await listReleases(context.services.database.em(), { productId: product.id }),
    blockReason: roleBlockReason(product, 'edit_listing'),
    draft,
    formToken: sessionFormToken(context),
  });
  return page(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showReleases, writeRelease, takeRelease];
