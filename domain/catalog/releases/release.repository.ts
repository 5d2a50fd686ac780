import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { Release } from './release.entity.ts';

export type ReleaseSource = 'hand' | 'import';

export type ReleaseText = {
  version: string;
  publishedAt: Date | null;
  notes: string | null;
  notesHtml: string | null;
};

export type ReleaseView = ReleaseText & { id: string; source: ReleaseSource };

/** How many releases of each source are kept. */
const KEPT: Record<ReleaseSource, number> = { hand: 50, import: 5 };

/** The latest release first; those without a day follow, the latest written first. */
const latestOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('release')
    .where('productId', '=', productId)
    .orderBy('publishedAt', (order) => order.desc().nullsLast())
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc');

/** Lists at most 55 rows of a product, which the unique (product, version) finds. */
export async function listReleases(
  em: EntityManager,
  { productId, most = KEPT.hand + KEPT.import }: { productId: string; most?: number },
): Promise<ReleaseView[]> {
  return latestOf(em, productId)
    .select(['id', 'version', 'publishedAt', 'notes', 'notesHtml', 'source'])
    .limit(most)
    .execute();
}

/** Returns the id of the new release; null when the product has a release of this version. */
export async function insertRelease(
  em: EntityManager,
  { productId, source, text }: { productId: string; source: ReleaseSource; text: ReleaseText },
): Promise<string | null> {
  const inserted = await kysely(em)
    .insertInto('release')
    .values({ id: newUuid(), productId, source, ...text })
    .onConflict((conflict) => conflict.columns(['productId', 'version']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted?.id ?? null;
}

/**
 * Puts the latest releases of an import, which begin with the newest, in the place of those of an
 * earlier one. A version that was written by hand stays.
 */
export async function replaceImportedReleases(
  em: EntityManager,
  { productId, texts }: { productId: string; texts: readonly ReleaseText[] },
): Promise<void> {
  const imported = kysely(em).deleteFrom('release').where('productId', '=', productId);
  await imported.where('source', '=', 'import').execute();
  // The newest last: tags without a day are listed by when they were written.
  const kept = texts.slice(0, KEPT.import).toReversed();
  for (const text of kept) await insertRelease(em, { productId, source: 'import', text });
}

/** Returns the version of the removed release; null when it is gone. */
export async function deleteRelease(
  em: EntityManager,
  { productId, id }: { productId: string; id: string },
): Promise<string | null> {
  const deleted = await kysely(em)
    .deleteFrom('release')
    .where('id', '=', id)
    .where('productId', '=', productId)
    .returning('version')
    .executeTakeFirst();
  return deleted?.version ?? null;
}

/** Removes all but the latest releases of a source, and returns the removed ones. */
export async function keepLatestReleases(
  em: EntityManager,
  { productId, source }: { productId: string; source: ReleaseSource },
): Promise<{ id: string; version: string }[]> {
  const old = await latestOf(em, productId)
    .select(['id', 'version'])
    .where('source', '=', source)
    .offset(KEPT[source])
    .execute();
  if (old.length > 0) await em.nativeDelete(Release, { id: { $in: old.map(({ id }) => id) } });
  return old;
}
