import type { Metadata, ResizeOptions, Sharp } from 'sharp';
import { refuse, type Refusal } from '../domain/shared/refusal.ts';
import { createQueue, type Caller } from './fair-queue.ts';
import { isPng, keepPixels } from './png.ts';

/**
 * Pixels. A picture is cut and enlarged to a `square`; it is cut to a square up to a side, and brought
 * to a width, without being enlarged. A `canvas` has the picture that was made before all in its
 * middle, as large as its margin leaves room for.
 */
type ImageSize = { square: number } | { squareUpTo: number } | { width: number } | Canvas;

type Canvas = { canvas: { width: number; height: number; margin: number } };

type Refused = Refusal<'no_picture' | 'too_large'>;

/** A phone's camera and some more. */
const MOST_PIXELS = 50_000_000;
/** The most bytes of decoded pixels, with four channels of 8 bits. */
const MOST_BYTES = 200_000_000;

/** Bytes of one channel; a depth that is not here takes the most of all. */
const DEPTH_BYTES: Partial<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };
const DEEPEST = 16;

const FORMATS = new Set(['jpeg', 'png', 'webp']);

/** A made picture is no higher than either: a few hundred bytes can be a very long picture. */
const MOST_HEIGHT = 4_096;
const MOST_HEIGHT_FOR_WIDTH = 4;

const MOST_SECONDS = 10;

// An unpacked picture may take 240 MB, so one is made at a time.
const inTurn = createQueue({ atOnce: 1, waiting: 8 });

/**
 * Makes a WebP of that size, upright and without metadata. Only a readable JPEG, PNG or WebP is a
 * picture.
 */
export async function makeImage(
  bytes: Buffer,
  size: ImageSize,
  caller: Caller = {},
): Promise<Buffer | Refused> {
  const made = await makeImages(bytes, [size], caller);
  return 'refused' in made ? made : made[0]!;
}

/** Makes a WebP of each size, all in one turn of the caller. */
export async function makeImages(
  bytes: Buffer,
  sizes: readonly ImageSize[],
  caller: Caller = {},
): Promise<Buffer[] | Refused> {
  return inTurn(() => convert(bytes, sizes), caller);
}

async function convert(bytes: Buffer, sizes: readonly ImageSize[]): Promise<Buffer[] | Refused> {
  const { default: sharp } = await import('sharp'); // takes time and memory, and few processes need it
  // No picture comes twice, and the cache would hold the last unpacked ones.
  sharp.cache(false);
  // For the whole process: no other format, and no SVG above all, reaches its decoder.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
  const safe = isPng(bytes) ? keepPixels(bytes) : bytes;
  if (safe === null) return refuse('no_picture');
  // Reads the header alone; what it allows is bounded by ourselves.
  const open = () =>
    sharp(safe, { limitInputPixels: false, failOn: 'error' }).timeout({ seconds: MOST_SECONDS });
  try {
    const header = await open().metadata();
    if (!FORMATS.has(header.format)) return refuse('no_picture');
    if (isTooLargeUnpacked(header)) return refuse('too_large');
    const made: Buffer[] = [];
    // One after the other, because each may hold the unpacked picture.
    for (const size of sizes) {
      const resized =
        'canvas' in size
          ? layOut(sharp(made[0]), size)
          : open().autoOrient().resize(toResize(size, header));
      made.push(await resized.webp({ quality: 82 }).toBuffer());
    }
    return made;
  } catch {
    return refuse('no_picture');
  }
}

type Header = Pick<
  Metadata,
  'width' | 'height' | 'channels' | 'depth' | 'format' | 'isProgressive'
>;

/**
 * Whether a picture would take too much memory unpacked, by what its header says: a few hundred
 * kilobytes may unpack to hundreds of megabytes. Asked before any picture is unpacked.
 */
function isTooLargeUnpacked(header: Header): boolean {
  const { width, height, channels, depth, format, isProgressive } = header;
  const pixels = width * height;
  // Its decoder holds a WebP three times, always with an alpha channel.
  if (format === 'webp') return pixels * 4 * 3 > MOST_BYTES;
  // A progressive JPEG is held as coefficients of 16 bits until its last scan, and an interlaced PNG
  // whole beside what becomes of it.
  const bytes = pixels * channels * (DEPTH_BYTES[depth] ?? DEEPEST) * (isProgressive ? 2 : 1);
  return pixels > MOST_PIXELS || bytes > MOST_BYTES;
}

/** The ground of pages in light. */
const GROUND = '#fafaf7';

function layOut(picture: Sharp, { canvas: { width, height, margin } }: Canvas): Sharp {
  const inner = { width: width - 2 * margin, height: height - 2 * margin };
  return picture
    .flatten({ background: GROUND })
    .resize({ ...inner, fit: 'contain', background: GROUND })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: GROUND });
}

function toResize(size: Exclude<ImageSize, Canvas>, { width, height }: Header): ResizeOptions {
  if ('width' in size) {
    const most = Math.min(MOST_HEIGHT, MOST_HEIGHT_FOR_WIDTH * size.width);
    return { width: size.width, height: most, fit: 'inside', withoutEnlargement: true };
  }
  const side = 'square' in size ? size.square : Math.min(size.squareUpTo, width, height);
  return { width: side, height: side, fit: 'cover' };
}
