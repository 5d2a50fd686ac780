import type { Metadata } from 'sharp';

/** A phone's camera and some more. */
const MOST_PIXELS = 50_000_000;
/**
 * The most bytes of decoded pixels, with four channels of 8 bits. An interlaced picture is held
 * whole while it is read.
 */
const MOST_BYTES = 200_000_000;

/** Bytes of one channel; a depth that is not here takes the most of all. */
const DEPTH_BYTES: Partial<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };
const DEEPEST = 16;

type Header = Pick<
  Metadata,
  'width' | 'height' | 'channels' | 'depth' | 'format' | 'isProgressive'
>;

/**
 * Whether a picture would take too much memory unpacked, by what its header says: a few hundred
 * kilobytes may unpack to hundreds of megabytes. Asked before any picture is unpacked.
 */
export function isTooLargeUnpacked(header: Header): boolean {
  const { width, height, channels, depth, format, isProgressive } = header;
  const pixels = width * height;
  // A progressive JPEG is held as coefficients of 16 bits until its last scan.
  const isHeldTwice = format === 'jpeg' && isProgressive;
  const bytes = pixels * channels * (DEPTH_BYTES[depth] ?? DEEPEST) * (isHeldTwice ? 2 : 1);
  return pixels > MOST_PIXELS || bytes > MOST_BYTES;
}
