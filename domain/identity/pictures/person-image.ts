import { isTooLargeUnpacked } from '../../../platform/images.ts';
import { createQueue } from '../../../platform/fair-queue.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

/** Pixels, both ways. */
const SIDE = 256;
const FORMATS = new Set(['jpeg', 'png', 'webp']);

// An unpacked picture may take 240 MB, so one is made at a time.
const inTurn = createQueue({ atOnce: 1, waiting: 8 });

type Refused = Refusal<'no_picture' | 'too_large'>;

/**
 * A square in WebP, upright and without metadata. Only a readable JPEG, PNG or WebP is a picture.
 */
export async function makePersonImage(bytes: Buffer): Promise<Buffer | Refused> {
  return inTurn(() => convert(bytes));
}

async function convert(bytes: Buffer): Promise<Buffer | Refused> {
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
    // Reads the header alone; what it allows is bounded by ourselves.
    const picture = sharp(bytes, { limitInputPixels: false, failOn: 'error' });
    const header = await picture.metadata();
    if (!FORMATS.has(header.format)) return refuse('no_picture');
    if (isTooLargeUnpacked(header)) return refuse('too_large');
    return await picture
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'cover' })
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    return refuse('no_picture');
  }
}
