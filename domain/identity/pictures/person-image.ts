import { createQueue } from '../../../platform/queue.ts';

/** In pixels, both ways. */
const SIDE = 256;
/** A phone's camera, with room; what claims to be larger is not unpacked. */
const MOST_PIXELS = 50_000_000;
const FORMATS = new Set(['jpeg', 'png', 'webp']);

// Unpacked, a picture may take 200 MB: one after the other.
const inTurn = createQueue({ atOnce: 1, waiting: 8 });

/**
 * The picture as a square in WebP, upright and without what the camera wrote into it; null for
 * anything but a JPEG, PNG or WebP that can be read to its end.
 */
export async function makePersonImage(bytes: Buffer): Promise<Buffer | null> {
  return inTurn(() => convert(bytes));
}

async function convert(bytes: Buffer): Promise<Buffer | null> {
  const { default: sharp } = await import('sharp'); // takes its time and memory: few need it
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
  try {
    const picture = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
    const { format } = await picture.metadata();
    if (!FORMATS.has(format)) return null;
    return await picture
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'cover' })
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    return null;
  }
}
