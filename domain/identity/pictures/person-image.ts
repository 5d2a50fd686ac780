import { createQueue } from '../../../platform/queue.ts';

/** In pixels, both ways. */
const SIDE = 256;
/** A phone's camera and some more; a larger picture is not unpacked. */
const MOST_PIXELS = 50_000_000;
const FORMATS = new Set(['jpeg', 'png', 'webp']);

// An unpacked picture may take 200 MB, so one is made at a time.
const inTurn = createQueue({ atOnce: 1, waiting: 8 });

/**
 * A square in WebP, upright and without metadata; null for anything but a readable JPEG, PNG or
 * WebP.
 */
export async function makePersonImage(bytes: Buffer): Promise<Buffer | null> {
  return inTurn(() => convert(bytes));
}

async function convert(bytes: Buffer): Promise<Buffer | null> {
  const { default: sharp } = await import('sharp'); // takes time and memory, and few processes need it
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
