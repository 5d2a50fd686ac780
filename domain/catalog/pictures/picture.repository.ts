import { expressionBuilder, type Expression } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { WIDTHS, type Pictures, type PictureWidth } from './picture.ts';

/** The hash of a product's icon, as a column of a statement about products; null without an icon. */
export function iconHashOf(productId: Expression<string | null>) {
  const { selectFrom } = expressionBuilder<Tables, never>();
  return selectFrom('productImage as icon')
    .select('icon.hash')
    .where('icon.productId', '=', productId)
    .where('icon.position', '=', 0);
}

export async function loadPictures(em: EntityManager, productId: string): Promise<Pictures> {
  const shown = await kysely(em)
    .selectFrom('productImage')
    .select(['kind', 'hash', 'alt'])
    .where('productId', '=', productId)
    .orderBy('position')
    .execute();
  return {
    icon: shown.find(({ kind }) => kind === 'icon')?.hash ?? null,
    screenshots: shown.flatMap(({ kind, hash, alt }) =>
      kind === 'screenshot' ? [{ hash, alt }] : [],
    ),
  };
}

/** Writes all pictures of a product anew; the caller holds the product. */
export async function savePictures(
  em: EntityManager,
  { productId, pictures }: { productId: string; pictures: Pictures },
): Promise<void> {
  const { icon, screenshots } = pictures;
  await kysely(em).deleteFrom('productImage').where('productId', '=', productId).execute();
  const shown = [
    ...(icon === null ? [] : [{ kind: 'icon' as const, position: 0, hash: icon, alt: '' }]),
    ...screenshots.map(({ hash, alt }, index) => ({
      kind: 'screenshot' as const,
      position: index + 1,
      hash,
      alt,
    })),
  ];
  if (shown.length === 0) return;
  await kysely(em)
    .insertInto('productImage')
    .values(shown.map((each) => ({ productId, ...each })))
    .execute();
}

/**
 * Locks the rows of these pictures until the transaction ends. Everybody locks them in this order.
 * Returns for each picture that there is whether it was taken down.
 */
export async function lockImages(
  em: EntityManager,
  hashes: readonly string[],
): Promise<Map<string, { isTakenDown: boolean }>> {
  const locked = await kysely(em)
    .selectFrom('image')
    .select(['hash', 'takenDownAt'])
    .where('hash', '=', anyOf(hashes))
    .orderBy('hash')
    .orderBy('width')
    .forUpdate()
    .execute();
  return new Map(
    locked.map(({ hash, takenDownAt }) => [hash, { isTakenDown: takenDownAt !== null }]),
  );
}

/** The names of one upload: as it is used, and as the other kind of picture. */
type UploadHashes = { hash: string; otherHash: string };

/**
 * Keeps a picture in all widths, as it was made first. False for a picture that was taken down: the
 * key decides between an upload and a takedown.
 */
export async function keepImage(
  em: EntityManager,
  { made, ...hashes }: UploadHashes & { made: readonly Buffer[] },
): Promise<boolean> {
  const kept = await kysely(em)
    .insertInto('image')
    .values(WIDTHS.map((width, index) => ({ ...hashes, width, bytes: made[index]! })))
    .onConflict((conflict) =>
      conflict
        .columns(['hash', 'width'])
        .doUpdateSet({ removeAfter: null })
        .where('image.takenDownAt', 'is', null),
    )
    .returning('width')
    .execute();
  return kept.length === WIDTHS.length;
}

/**
 * Sets how long pictures that a product does not show any more are kept. The upkeep spares those that
 * another product shows.
 */
export async function markUnused(
  em: EntityManager,
  { hashes, keptFor }: { hashes: readonly string[]; keptFor: '1 day' | '30 days' },
): Promise<void> {
  await kysely(em)
    .updateTable('image')
    .set(({ fn }) => ({ removeAfter: fn('greatest', ['removeAfter', fromNow(keptFor)]) }))
    .where('hash', '=', anyOf(hashes))
    .where('takenDownAt', 'is', null)
    .execute();
}

/** Finds the hash of the same upload as the other kind, which never changes; null for no picture. */
export async function findOtherHash(em: EntityManager, hash: string): Promise<string | null> {
  const found = await kysely(em)
    .selectFrom('image')
    .select('otherHash')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return found?.otherHash ?? null;
}

/**
 * Erases the bytes of an upload for good and keeps its hashes, also as the kind that nobody uploaded
 * it as. The caller holds its rows.
 */
export async function eraseUpload(em: EntityManager, { hash, otherHash }: UploadHashes) {
  const erased = { bytes: null, removeAfter: null, takenDownAt: NOW };
  const both = [
    { hash, otherHash },
    { hash: otherHash, otherHash: hash },
  ];
  await kysely(em)
    .insertInto('image')
    .values(both.flatMap((each) => WIDTHS.map((width) => ({ ...each, width, ...erased }))))
    .onConflict((conflict) => conflict.columns(['hash', 'width']).doUpdateSet(erased))
    .execute();
}

/** Takes pictures away from all products, and returns what each of these has shown. */
export async function hideImages(
  em: EntityManager,
  hashes: readonly string[],
): Promise<{ productId: string; teamId: string | null; hash: string }[]> {
  return kysely(em)
    .deleteFrom('productImage')
    .using('product')
    .whereRef('product.id', '=', 'productImage.productId')
    .where('productImage.hash', '=', anyOf(hashes))
    .returning(['product.id as productId', 'product.ownerTeamId as teamId', 'productImage.hash'])
    .execute();
}

/** Removes pictures at once that no product shows any more; the caller holds their rows. */
export async function removeImages(em: EntityManager, hashes: readonly string[]): Promise<void> {
  await kysely(em)
    .deleteFrom('image')
    .where('hash', '=', anyOf(hashes))
    .where('takenDownAt', 'is', null)
    .where(({ not, ref }) => not(isShown(ref('image.hash'))))
    .execute();
}

/** Finds the bytes of a picture; null for one that is unknown or was taken down. */
export async function findImage(
  em: EntityManager,
  { hash, width }: { hash: string; width: PictureWidth },
): Promise<Buffer | null> {
  const found = await kysely(em)
    .selectFrom('image')
    .select('bytes')
    .where('hash', '=', hash)
    .where('width', '=', width)
    .$narrowType<{ bytes: Buffer | null }>()
    .executeTakeFirst();
  return found?.bytes ?? null;
}

/** What an operator sees of an upload: whether it was taken down, and the products that show it. */
export async function findShownImage(em: EntityManager, hash: string) {
  const image = await kysely(em)
    .selectFrom('image')
    .select(['takenDownAt', 'otherHash'])
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (!image) return null;
  const products = await kysely(em)
    .selectFrom('productImage as shown')
    .innerJoin('product', 'product.id', 'shown.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['slug.slug', 'product.name', 'shown.kind'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .where('shown.hash', '=', anyOf([hash, image.otherHash]))
    .orderBy('product.name')
    .orderBy('product.id')
    .limit(MOST_SHOWN)
    .execute();
  return { takenDownAt: image.takenDownAt, products };
}

export type ShownImage = NonNullable<Awaited<ReturnType<typeof findShownImage>>>;

const MOST_SHOWN = 50;
const BATCH = 300;

/**
 * Removes pictures that no product shows and that were kept long enough; true when more wait. One that
 * a product is about to show again is locked, and stays.
 */
export async function removeUnusedImages(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('image')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('image.hash', 'image.width'),
        'in',
        selectFrom('image as old')
          .select(['old.hash', 'old.width'])
          .where('old.removeAfter', '<=', NOW)
          .where(({ not, ref }) => not(isShown(ref('old.hash'))))
          .orderBy('old.removeAfter')
          .limit(BATCH)
          .forUpdate()
          .skipLocked()
          .$asTuple('hash', 'width'),
      ),
    )
    .executeTakeFirst();
  return removed.numDeletedRows === BigInt(BATCH);
}

function isShown(hash: Expression<string>) {
  const { exists, selectFrom } = expressionBuilder<Tables, never>();
  return exists(
    selectFrom('productImage as shown').select('shown.position').where('shown.hash', '=', hash),
  );
}
