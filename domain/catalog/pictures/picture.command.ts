// Changes of the pictures that the store shows of a product.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import {
  editPictures,
  hashUpload,
  listHashes,
  type PictureEdit,
  type Pictures,
} from './picture.ts';
import {
  eraseImage,
  hideImage,
  keepImage,
  loadPictures,
  lockImages,
  markUnused,
  savePictures,
} from './picture.repository.ts';

type ProductChange = { productId: string; teamId: string | null; by: Actor };

/** Bytes as somebody sent them, and the WebP of each width that was made of them. */
type Upload = { bytes: Buffer; made: readonly Buffer[] };

type NewPicture =
  | { kind: 'icon' }
  | { kind: 'screenshot'; alt: string }
  /** Takes the place of another screenshot, with its text. */
  | { kind: 'screenshot'; replaces: string };

type EditRefusal = Refusal<'removed' | 'not_found' | 'too_many'>;

/** Adds an uploaded picture to a product. A picture that was taken down does not come back. */
export async function addPicture(
  em: EntityManager,
  { picture, upload, ...change }: ProductChange & { picture: NewPicture; upload: Upload },
): Promise<{ changed: boolean } | EditRefusal | Refusal<'taken_down'>> {
  const named = hashUpload(upload.bytes);
  const hash = named[picture.kind];
  const edit = toEdit(picture, hash);
  // Taken down as an icon, a picture is no screenshot either.
  const names = Object.values(named);
  return inTransaction(em, async (em) => {
    if (!(await lockProduct(em, change.productId))) return refuse('removed');
    const { before, known } = await lockPictures(em, { productId: change.productId, names });
    if (names.some((name) => known.get(name)?.isTakenDown)) return refuse('taken_down');
    const after = editPictures(before, edit);
    if (isRefusal(after)) return after;
    if (!(await keepImage(em, { hash, made: upload.made }))) return refuse('taken_down');
    return write(em, { change, edit, before, after });
  });
}

/** Describes, moves or removes a picture of a product. */
export async function changePictures(
  em: EntityManager,
  { edit, ...change }: ProductChange & { edit: Exclude<PictureEdit, { hash: string }> },
): Promise<{ changed: boolean } | EditRefusal> {
  return inTransaction(em, async (em) => {
    if (!(await lockProduct(em, change.productId))) return refuse('removed');
    const { before } = await lockPictures(em, { productId: change.productId, names: [] });
    const after = editPictures(before, edit);
    return isRefusal(after) ? after : write(em, { change, edit, before, after });
  });
}

/**
 * Takes a picture down at once: its bytes are erased and no product shows it. Each product that did
 * has the entry in its trail. A second takedown changes nothing.
 */
export async function takeDownPicture(
  em: EntityManager,
  { hash, by }: { hash: string; by: Actor },
): Promise<{ takenDown: true } | Refusal<'not_found' | 'unchanged'>> {
  return inTransaction(em, async (em) => {
    const image = (await lockImages(em, [hash])).get(hash);
    if (!image) return refuse('not_found');
    if (image.isTakenDown) return refuse('unchanged');
    await eraseImage(em, hash);
    const shown = await hideImage(em, hash);
    const entry = { by, action: 'picture.taken_down', subject: hash } as const;
    if (shown.length === 0) await recordAudit(em, entry);
    for (const product of shown) await recordAudit(em, { ...entry, ...product });
    return { takenDown: true };
  });
}

function toEdit(picture: NewPicture, hash: string): PictureEdit {
  if (picture.kind === 'icon') return { action: 'set_icon', hash };
  if ('alt' in picture) return { action: 'add', hash, alt: picture.alt };
  return { action: 'replace', screenshot: picture.replaces, hash };
}

/**
 * Reads the pictures of a product whose row is locked, and locks them and others by these names. One
 * that was taken down in between is not among them.
 */
async function lockPictures(
  em: EntityManager,
  { productId, names }: { productId: string; names: readonly string[] },
) {
  const found = await loadPictures(em, productId);
  const known = await lockImages(em, [...listHashes(found), ...names]);
  const isUp = (hash: string) => known.get(hash)?.isTakenDown === false;
  const before: Pictures = {
    icon: found.icon !== null && isUp(found.icon) ? found.icon : null,
    screenshots: found.screenshots.filter(({ hash }) => isUp(hash)),
  };
  return { before, known };
}

type Written = { change: ProductChange; edit: PictureEdit; before: Pictures; after: Pictures };

const ACTIONS: Record<PictureEdit['action'], AuditAction> = {
  set_icon: 'picture.added',
  add: 'picture.added',
  replace: 'picture.added',
  describe: 'picture.changed',
  earlier: 'picture.changed',
  later: 'picture.changed',
  remove: 'picture.removed',
  remove_icon: 'picture.removed',
};

/** Writes what differs, with its entry in the trail. */
async function write(
  em: EntityManager,
  { change, edit, before, after }: Written,
): Promise<{ changed: boolean }> {
  const { productId } = change;
  if (JSON.stringify(after) === JSON.stringify(before)) return { changed: false };
  await savePictures(em, { productId, pictures: after });
  const shown = new Set(listHashes(after));
  const dropped = listHashes(before).filter((hash) => !shown.has(hash));
  if (dropped.length > 0) await markUnused(em, dropped);
  const { action: edited, ...detail } = edit;
  const subject = 'hash' in edit ? edit.hash : 'screenshot' in edit ? edit.screenshot : dropped[0]!;
  const entry = { action: ACTIONS[edited], subject, detail: { change: edited, ...detail } };
  await recordAudit(em, { ...change, ...entry });
  return { changed: true };
}
