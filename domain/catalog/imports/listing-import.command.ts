// Imports of listings: from the request, over what was found, to what a person takes of it.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { renderMarkdown } from '../../../platform/markdown.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { importWorkflow } from '../../outbox/workflow-targets.ts';
import { newUuid } from '../../shared/ids.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import type { RightsRefusal } from '../../teams/suspension.ts';
import { changeListing, lockForEditing } from '../listing.command.ts';
import { loadListing } from '../listing.repository.ts';
import type { ActingManager } from '../product.repository.ts';
import { replaceImportedReleases } from '../releases/release.repository.ts';
import type { FoundField, ImportFindings, ReleaseGroup } from './import-findings.ts';
import { MOST_IMPORTS_AN_HOUR, type ImportKind } from './import-state.ts';
import {
  countRecentImports,
  insertImport,
  lockImport,
  moveImport,
} from './listing-import.repository.ts';
import { takePictures } from './taken-pictures.ts';

type ProductChange = { productId: string; by: ActingManager };

type ImportRequest = ProductChange & { kind: ImportKind; address: string };

/** Asks for an import. The lock of the product keeps two requests from being the tenth of an hour. */
export async function requestImport(
  em: EntityManager,
  { productId, by, kind, address }: ImportRequest,
): Promise<{ importId: string } | Refusal<RightsRefusal | 'removed' | 'too_many'>> {
  return inTransaction(em, async (em) => {
    const product = await lockForEditing(em, { productId, by });
    if (isRefusal(product)) return product;
    const { teamId } = product;
    const recent = await countRecentImports(em, productId);
    if (recent >= MOST_IMPORTS_AN_HOUR) return refuse('too_many');
    const importId = newUuid();
    await insertImport(em, { id: importId, productId, kind, address });
    await sendToWorkflow(em, importWorkflow(importId), {});
    const entry = { action: 'import.requested', subject: importId } as const;
    await recordAudit(em, { by, productId, teamId, ...entry, detail: { kind, address } });
    return { importId };
  });
}

/** What a person takes of an import. */
export type Choice = {
  fields: readonly FoundField[];
  icon: boolean;
  screenshots: boolean;
  /** The prefix of the releases; null for none. */
  prefix: string | null;
};

type ImportChange = ProductChange & {
  importId: string;
  choice: Choice;
  /** The version of the listing that the person had read. */
  version: number;
};

/**
 * Takes over the texts and releases that a person chose, and leaves the pictures to the workflow. Of
 * two people who save, the lock of the import lets one do so.
 */
export async function applyImport(
  em: EntityManager,
  { importId, productId, by, choice, version }: ImportChange,
): Promise<
  | { isFetching: boolean }
  | Refusal<RightsRefusal | 'removed' | 'not_ready' | 'nothing_chosen' | 'stale'>
> {
  return inTransaction(em, async (em) => {
    const product = await lockForEditing(em, { productId, by });
    if (isRefusal(product)) return product;
    const { teamId } = product;
    const found = await lockImport(em, importId);
    if (found?.productId !== productId) return refuse('removed');
    const { state, findings } = found;
    if (state !== 'ready' || findings === null) return refuse('not_ready');
    const taken = chooseFrom(findings, choice);
    const { fields, pictures, group } = taken;
    if (fields.length + pictures.length === 0 && group === null) return refuse('nothing_chosen');
    const saved = await saveTexts(em, { productId, by, version, teamId, ...taken });
    if (isRefusal(saved)) return saved;
    if (group !== null) await saveReleases(em, { productId, group });
    await moveImport(em, importId, { to: 'applying', pictures, appliedBy: by.personId });
    const isFetching = pictures.length > 0;
    if (isFetching) await sendToWorkflow(em, importWorkflow(importId), { kind: 'apply' });
    else await moveImport(em, importId, { to: 'applied' });
    const releases = group?.releases.map((release) => release.version) ?? [];
    const detail = { fields, pictures: pictures.length, releases };
    const entry = { action: 'import.applied', subject: importId, detail } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    return { isFetching };
  });
}

/** Leaves out what was not found. */
function chooseFrom(findings: ImportFindings, choice: Choice) {
  const { texts, groups } = findings;
  return {
    texts,
    fields: choice.fields.filter((field) => texts[field] !== undefined),
    pictures: takePictures(findings, choice),
    group: groups.find(({ prefix }) => prefix === choice.prefix) ?? null,
  };
}

type Texts = Pick<ImportChange, 'productId' | 'by' | 'version'> &
  Pick<ImportFindings, 'texts'> & { teamId: string | null; fields: FoundField[] };

/** A version that is not the present one is refused, whatever was chosen. */
async function saveTexts(
  em: EntityManager,
  { texts, fields, ...change }: Texts,
): Promise<{ changed: boolean } | Refusal<'removed' | 'stale'>> {
  const listing = await loadListing(em, change.productId);
  const { version, descriptionHtml: _html, changedAt: _changed, ...form } = listing;
  if (version !== change.version) return refuse('stale');
  const found = Object.fromEntries(fields.map((field) => [field, texts[field]]));
  const changed = await changeListing(em, { ...change, text: { ...form, ...found } });
  if (!isRefusal(changed)) return changed;
  return refuse(changed.refused === 'removed' ? 'removed' : 'stale'); // the delivery stays
}

async function saveReleases(
  em: EntityManager,
  { productId, group }: { productId: string; group: ReleaseGroup },
): Promise<void> {
  const texts = group.releases.map(({ version, publishedAt, notes }) => ({
    version,
    publishedAt: publishedAt === null ? null : new Date(publishedAt),
    notes,
    notesHtml: notes === null ? null : renderMarkdown(notes),
  }));
  await replaceImportedReleases(em, { productId, texts });
}
