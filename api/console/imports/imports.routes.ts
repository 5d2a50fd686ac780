import { z } from 'zod';
import { parseRepositoryAddress } from '../../../clients/repositories/repository-address.ts';
import { FOUND_FIELDS } from '../../../domain/catalog/imports/import-findings.ts';
import { IMPORT_KINDS, type ImportKind } from '../../../domain/catalog/imports/import-state.ts';
import {
  applyImport,
  requestImport,
} from '../../../domain/catalog/imports/listing-import.command.ts';
import {
  findImport,
  listImports,
  type ListingImportView,
} from '../../../domain/catalog/imports/listing-import.repository.ts';
import { loadListing } from '../../../domain/catalog/listing.repository.ts';
import { loadPictures } from '../../../domain/catalog/pictures/picture.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { listReleases } from '../../../domain/catalog/releases/release.repository.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { HttpError } from '../../http/errors.ts';
import { formBody, given, matching, text } from '../../http/fields.ts';
import { productRef } from '../../http/params.ts';
import { page, redirect } from '../../http/response.ts';
import { refreshWhileWaiting, waitingSinceField } from '../../http/refresh-while-waiting.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { loadManaged, managerOf, passRights, type ProductCall } from '../managed-product.ts';
import { importsPath, type ImportDraft } from './import-card.ts';
import { importPage } from './import.page.ts';
import { importsPage } from './imports.page.ts';

const PATH = '/console/products/:ref/imports';
const LONGEST_ADDRESS = 2_048;
const LONGEST_PREFIX = 100;

const showImports = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List the imports of a listing',
  input: { params: productRef },
  handler: async (context) => showList(context, await loadManaged(context, 'edit_listing'), null),
});

const startImport = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Import a page or a repository for a listing',
  proof: 'none',
  input: {
    params: productRef,
    body: formBody({ kind: z.enum(IMPORT_KINDS), address: text(LONGEST_ADDRESS) }),
  },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const { kind } = context.body;
    const address = context.body.address.trim();
    const refuse = (problem: string) =>
      showList(context, product, { typed: { address }, problems: { address: problem } });
    const problem = findProblem(kind, address);
    if (problem !== null) return refuse(problem);
    const input = { productId: product.id, by: managerOf(context), kind, address };
    const asked = await requestImport(context.services.database.em(), input);
    if (!isRefusal(asked)) return redirect(`${importsPath(product.slug)}/${asked.importId}`);
    const refused = passRights(asked.refused, 'edit_listing');
    if (refused === 'removed') throw new HttpError('not_found');
    return refuse('A product has at most 10 imports an hour. Try again later.');
  },
});

/** What can be seen without asking anybody. */
function findProblem(kind: ImportKind, address: string): string | null {
  if (address.length > LONGEST_ADDRESS) return 'This is too long.';
  if (kind === 'repository') {
    return parseRepositoryAddress(address) === null
      ? 'Enter the address of a repository, such as https://github.com/maker/product.'
      : null;
  }
  const url = URL.parse(address);
  return url === null || !/^https?:$/.test(url.protocol)
    ? 'Enter a full address, such as https://example.com.'
    : null;
}

const importRef = productRef.extend({ import: given(36) });

const showImport = defineRoute({
  ...SESSION_PAGE,
  path: `${PATH}/:import`,
  summary: 'Show an import of a listing',
  input: { params: importRef, query: z.object({ since: waitingSinceField }) },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const shown = await load(context, product);
    const response = await showOne(context, product, { shown, problem: null });
    return { ...response, headers: { ...response.headers, ...refresh(context, shown) } };
  },
});

type WaitingCall = ProductCall & { query: { since?: number | undefined } };

/** A page that waits asks for itself again, without script. */
function refresh({ ctx, query }: WaitingCall, { state }: ListingImportView) {
  if (state === 'waiting') return { refresh: '60' };
  const isMoving = state === 'queued' || state === 'fetching' || state === 'applying';
  return isMoving ? refreshWhileWaiting(ctx, query.since) : {};
}

const CHOICES = [...FOUND_FIELDS, 'icon', 'screenshots', 'releases'] as const;
const choice = z.enum(CHOICES);

/** A box that is not ticked is not sent, one that is ticked alone is no list. */
const ticked = z.union([choice.transform((one) => [one]), z.array(choice)]).default([]);

const saveImport = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/:import/apply`,
  summary: 'Take over what an import found',
  proof: 'fresh',
  input: {
    params: importRef,
    body: formBody({
      version: matching(/^\d{1,9}$/, 9).transform(Number),
      take: ticked,
      prefix: given(LONGEST_PREFIX).optional(),
    }),
  },
  async handler(context) {
    const product = await loadManaged(context, 'edit_listing');
    const shown = await load(context, product);
    const { version, take, prefix } = context.body;
    const path = `${importsPath(product.slug)}/${shown.id}`;
    const applied = await applyImport(context.services.database.em(), {
      importId: shown.id,
      productId: product.id,
      by: managerOf(context),
      version,
      choice: {
        fields: FOUND_FIELDS.filter((field) => take.includes(field)),
        icon: take.includes('icon'),
        screenshots: take.includes('screenshots'),
        prefix: take.includes('releases') ? (prefix ?? null) : null,
      },
    });
    if (!isRefusal(applied)) return redirect(path);
    const refused = passRights(applied.refused, 'edit_listing');
    if (refused === 'removed') throw new HttpError('not_found');
    // Somebody applied it meanwhile: its page says so.
    if (refused === 'not_ready') return redirect(path);
    return showOne(context, product, { shown, problem: refused });
  },
});

type ImportCall = ProductCall & { params: { import: string } };

async function load(context: ImportCall, { id }: ManagedProduct): Promise<ListingImportView> {
  const importId = parseUuid(context.params.import);
  const em = context.services.database.em();
  const found = importId === null ? null : await findImport(em, importId);
  if (found?.productId !== id) throw new HttpError('not_found');
  return found;
}

async function showList(context: ProductCall, product: ManagedProduct, draft: ImportDraft | null) {
  const em = context.services.database.em();
  const { websiteUrl: address } = await loadListing(em, product.id);
  const imports = await listImports(em, product.id);
  const formToken = sessionFormToken(context);
  const view = importsPage({ product, imports, address, draft, formToken });
  return page(context, view, draft === null ? {} : { status: 422 });
}

type Shown = Pick<Parameters<typeof importPage>[0], 'shown' | 'problem'>;

async function showOne(context: ProductCall, product: ManagedProduct, { shown, problem }: Shown) {
  const em = context.services.database.em();
  const { id: productId } = product;
  const { state, findings } = shown;
  const compared =
    state === 'ready' && findings !== null
      ? {
          findings,
          listing: await loadListing(em, productId),
          pictures: await loadPictures(em, productId),
          releases: await listReleases(em, { productId }),
        }
      : null;
  const formToken = sessionFormToken(context);
  const view = importPage({ product, shown, compared, problem, formToken });
  if (problem === null) return page(context, view);
  return page(context, view, { status: problem === 'stale' ? 409 : 422 });
}

export const routes = [showImports, startImport, showImport, saveImport];
