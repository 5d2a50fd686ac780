// The pictures of a product: one icon, and screenshots in an order.
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { sha256Hex } from '../../shared/sha256.ts';
import { validateLine, type LineProblem } from '../../shared/text.ts';

export const PICTURE_KINDS = ['icon', 'screenshot'] as const;

type PictureKind = (typeof PICTURE_KINDS)[number];

/** A picture as previews of a link show it, in the middle of a plain canvas. */
export const PREVIEW = { width: 1200, height: 630 } as const;

/** The widths in which each picture is kept, in pixels, the largest first. */
export const WIDTHS = [1600, PREVIEW.width, 640, 256] as const;

export type PictureWidth = (typeof WIDTHS)[number];

const ICON_MARGIN = 115;
const SCREENSHOT_MARGIN = 40;

/** The sizes in which a picture is made. */
export const PICTURE_SIZES = {
  icon: WIDTHS.map((width) =>
    width === PREVIEW.width
      ? { canvas: { ...PREVIEW, margin: ICON_MARGIN } }
      : { squareUpTo: width },
  ),
  screenshot: WIDTHS.map((width) =>
    width === PREVIEW.width ? { canvas: { ...PREVIEW, margin: SCREENSHOT_MARGIN } } : { width },
  ),
};

export const MOST_SCREENSHOTS = 8;
export const LONGEST_ALT = 200;

/** A hash as the names of files have it. */
export const HASH = /^[0-9a-f]{32}$/;

const HASH_LENGTH = 32;

/** Names an upload by its bytes and its kind: an icon is cut to a square and a screenshot is not. */
export function hashUpload(bytes: Uint8Array): Record<PictureKind, string> {
  const digest = sha256Hex(bytes);
  const hashOf = (kind: PictureKind) => sha256Hex(`${kind}:${digest}`).slice(0, HASH_LENGTH);
  return { icon: hashOf('icon'), screenshot: hashOf('screenshot') };
}

/** What a screenshot shows, in one line for people who do not see it. */
export function validateAlt(given: string): { value: string; problem: LineProblem | null } {
  return validateLine(given, LONGEST_ALT);
}

export type Screenshot = { hash: string; alt: string };

export type Pictures = { icon: string | null; screenshots: readonly Screenshot[] };

/** A change of a product's pictures; `screenshot` is the hash of the one that changes. */
export type PictureEdit =
  | { action: 'set_icon'; hash: string }
  | { action: 'remove_icon' }
  | { action: 'add'; hash: string; alt: string }
  | { action: 'replace'; screenshot: string; hash: string }
  | { action: 'describe'; screenshot: string; alt: string }
  | { action: 'earlier' | 'later' | 'remove'; screenshot: string };

/** Decides how the pictures are after a change. A picture that is there already is not added again. */
export function editPictures(
  pictures: Pictures,
  edit: PictureEdit,
): Pictures | Refusal<'not_there' | 'too_many'> {
  if (edit.action === 'set_icon') return { ...pictures, icon: edit.hash };
  if (edit.action === 'remove_icon') return { ...pictures, icon: null };
  const { screenshots } = pictures;
  if ('hash' in edit && screenshots.some(({ hash }) => hash === edit.hash)) return pictures;
  if (edit.action === 'add') {
    if (screenshots.length >= MOST_SCREENSHOTS) return refuse('too_many');
    return { ...pictures, screenshots: [...screenshots, { hash: edit.hash, alt: edit.alt }] };
  }
  const place = screenshots.findIndex(({ hash }) => hash === edit.screenshot);
  if (place === -1) return refuse('not_there');
  return { ...pictures, screenshots: editScreenshot(screenshots, { place, edit }) };
}

type ScreenshotEdit = Exclude<PictureEdit, { action: 'set_icon' | 'remove_icon' | 'add' }>;

function editScreenshot(
  screenshots: readonly Screenshot[],
  { place, edit }: { place: number; edit: ScreenshotEdit },
): readonly Screenshot[] {
  const old = screenshots[place]!;
  switch (edit.action) {
    case 'replace':
      return screenshots.with(place, { ...old, hash: edit.hash });
    case 'describe':
      return screenshots.with(place, { ...old, alt: edit.alt });
    case 'remove':
      return screenshots.toSpliced(place, 1);
    case 'earlier':
      return move(screenshots, { from: place, to: Math.max(place - 1, 0) });
    case 'later':
      return move(screenshots, { from: place, to: Math.min(place + 1, screenshots.length - 1) });
  }
}

function move(
  screenshots: readonly Screenshot[],
  { from, to }: { from: number; to: number },
): readonly Screenshot[] {
  return screenshots.toSpliced(from, 1).toSpliced(to, 0, screenshots[from]!);
}

/** The hashes of all pictures. */
export function listHashes({ icon, screenshots }: Pictures): string[] {
  return [...(icon === null ? [] : [icon]), ...screenshots.map(({ hash }) => hash)];
}
