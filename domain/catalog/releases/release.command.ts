// Changes of the versions that a product's page lists.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { renderMarkdown } from '../../../platform/markdown.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { LateRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import {
  deleteRelease,
  insertRelease,
  keepLatestReleases,
  type ReleaseText,
} from './release.repository.ts';

type ReleaseChange = { productId: string; teamId: string | null; by: Actor };

/**
 * Adds a release that a person has written; the oldest beyond 50 goes, and a release that is itself
 * the oldest is refused. The unique (product, version) decides whether there is one of this version.
 */
export async function addRelease(
  em: EntityManager,
  { productId, teamId, by, ...release }: ReleaseChange & Omit<ReleaseText, 'notesHtml'>,
): Promise<{ releaseId: string } | Refusal<'removed' | 'version_taken' | 'too_old'>> {
  const notesHtml = release.notes === null ? null : renderMarkdown(release.notes);
  return inTransaction(em, async (em) => {
    if (!(await lockProduct(em, productId))) return refuse('removed');
    const text = { ...release, notesHtml };
    const releaseId = await insertRelease(em, { productId, source: 'hand', text });
    if (releaseId === null) return refuse('version_taken');
    const gone = await keepLatestReleases(em, { productId, source: 'hand' });
    if (gone.some(({ id }) => id === releaseId)) throw new LateRefusal('too_old');
    const replaced = gone.map(({ version }) => version);
    const detail = { version: release.version, ...(replaced.length > 0 && { replaced }) };
    const entry = { action: 'release.added', subject: releaseId, detail } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    return { releaseId };
  });
}

/** Removes a release, whoever wrote it. */
export async function removeRelease(
  em: EntityManager,
  { productId, teamId, by, releaseId }: ReleaseChange & { releaseId: string },
): Promise<{ version: string } | Refusal<'unchanged'>> {
  return inTransaction(em, async (em) => {
    const version = await deleteRelease(em, { productId, id: releaseId });
    if (version === null) return refuse('unchanged');
    const entry = { action: 'release.removed', subject: releaseId, detail: { version } } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    return { version };
  });
}
