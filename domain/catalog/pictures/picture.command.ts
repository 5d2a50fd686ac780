// Changes of the pictures that the store shows of a product.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import type { RightsRefusal } from '../../teams/suspension.ts';
import { lockForEditing, type Editor } from '../listing.command.ts';
import type { ProductView } from '../product.repository.ts';
import {
  editPictures,
  hashUpload,
  listHashes,
  type PictureEdit,
  type Pictures,
} from './picture.ts';
import {
  eraseUpload,
  findOtherHash,
  hideImages,
  keepImage,
  loadPictures,
  lockImages,
  markUnused,
  removeImages,
  savePictures,
} from './picture.repository.ts';

type ProductChange = { productId: string; by: Editor };

/** Bytes as somebody sent them, and the WebP of each width that was made of them. */
type Upload = { bytes: Buffer; made: readonly Buffer[] };

type NewPicture =
  | { kind: 'icon' }
  | { kind: 'screenshot'; alt: string }
  /** Takes the place of another screenshot, with its text. */
  | { kind: 'screenshot'; replaces: string };

type EditRefusal = Refusal<RightsRefusal | 'removed' | 'not_there' | 'too_many'>;

/** Adds an uploaded picture to a product. A picture that was taken down does not come back. */
export async function addPicture(
  em: EntityManager,
  { picture, upload, ...change }: ProductChange & { picture: NewPicture; upload: Upload },
): Promise<{ changed: boolean } | EditRefusal | Refusal<'taken_down'>> {
  const { icon, screenshot } = hashUpload(upload.bytes);
  const [hash, otherHash] = picture.kind === 'icon' ? [icon, screenshot] : [screenshot, icon];
  const names = [hash, otherHash];
  return inTransaction(em, async (em) => {
    const product = await lockForEditing(em, change);
    if (isRefusal(product)) return product;
    const { before, known } = await lockPictures(em, { productId: change.productId, names });
    if (names.some((name) => known.get(name)?.isTakenDown)) return refuse('taken_down');
    const edit = toEdit(picture, { hash, before });
    const after = editPictures(before, edit);
    if (isRefusal(after)) return after;
    const kept = await keepImage(em, { hash, otherHash, made: upload.made });
    return kept ? write(em, { change, product, edit, before, after }) : refuse('taken_down');
  });
}

/** Describes, moves or removes a picture of a product. */
export async function changePictures(
  em: EntityManager,
  { edit, ...change }: ProductChange & { edit: Exclude<PictureEdit, { hash: string }> },
): Promise<{ changed: boolean } | EditRefusal> {
  return inTransaction(em, async (em) => {
    const product = await lockForEditing(em, change);
    if (isRefusal(product)) return product;
    const { before } = await lockPictures(em, { productId: change.productId, names: [] });
    const after = editPictures(before, edit);
    return isRefusal(after) ? after : write(em, { change, product, edit, before, after });
  });
}

/**
 * Removes the pictures of a product that is removed, whose row is locked. Those that another product
 * shows stay.
 */
export async function removePictures(em: EntityManager, productId: string): Promise<void> {
  const hashes = listHashes(await loadPictures(em, productId));
  await lockImages(em, hashes);
  await savePictures(em, { productId, pictures: { icon: null, screenshots: [] } });
  await removeImages(em, hashes);
}

/**
 * Takes an upload down at once, as an icon and as a screenshot: its bytes are erased and no product
 * shows it. Each product that did has the entry in its trail. A second takedown changes nothing.
 */
export async function takeDownPicture(
  em: EntityManager,
  { hash, by }: { hash: string; by: Actor },
): Promise<{ takenDown: true } | Refusal<'not_found' | 'unchanged'>> {
  return inTransaction(em, async (em) => {
    const otherHash = await findOtherHash(em, hash);
    if (otherHash === null) return refuse('not_found');
    const image = (await lockImages(em, [hash, otherHash])).get(hash);
    if (!image) return refuse('not_found');
    if (image.isTakenDown) return refuse('unchanged');
    await eraseUpload(em, { hash, otherHash });
    const shown = await hideImages(em, [hash, otherHash]);
    const entry = { by, action: 'picture.taken_down' } as const;
    if (shown.length === 0) await recordAudit(em, { ...entry, subject: hash });
    for (const { hash: subject, ...product } of shown) {
      await recordAudit(em, { ...entry, ...product, subject });
    }
    return { takenDown: true };
  });
}

/** A screenshot that is added again keeps its place and gets the new text. */
function toEdit(
  picture: NewPicture,
  { hash, before }: { hash: string; before: Pictures },
): PictureEdit {
  if (picture.kind === 'icon') return { action: 'set_icon', hash };
  if ('replaces' in picture) return { action: 'replace', screenshot: picture.replaces, hash };
  const { alt } = picture;
  const isShown = before.screenshots.some((each) => each.hash === hash);
  return isShown ? { action: 'describe', screenshot: hash, alt } : { action: 'add', hash, alt };
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

type Written = {
  change: ProductChange;
  product: { teamId: string | null; state: ProductView['state'] };
  edit: PictureEdit;
  before: Pictures;
  after: Pictures;
};

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
  { change: { productId, by }, product: { teamId, state }, edit, before, after }: Written,
): Promise<{ changed: boolean }> {
  if (JSON.stringify(after) === JSON.stringify(before)) return { changed: false };
  await savePictures(em, { productId, pictures: after });
  const shown = new Set(listHashes(after));
  const dropped = listHashes(before).filter((hash) => !shown.has(hash));
  // Nobody but its team has seen the page of a draft, so no copy of that page leads there.
  const keptFor = state === 'draft' ? '1 day' : '30 days';
  if (dropped.length > 0) await markUnused(em, { hashes: dropped, keptFor });
  const { action: edited, ...detail } = edit;
  const subject = 'hash' in edit ? edit.hash : 'screenshot' in edit ? edit.screenshot : dropped[0]!;
  const entry = { action: ACTIONS[edited], subject, detail: { change: edited, ...detail } };
  await recordAudit(em, { productId, teamId, by, ...entry });
  return { changed: true };
}
