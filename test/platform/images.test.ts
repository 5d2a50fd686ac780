import test from 'ava';
import sharp from 'sharp';
import { makeImage, makeImages } from '../../platform/images.ts';

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a03060' } });

const png = (width: number, height: number) => canvas(width, height).png().toBuffer();

type Size = Parameters<typeof makeImage>[1];

async function measure(bytes: Buffer, size: Size) {
  const image = await makeImage(bytes, size);
  if ('refused' in image) return image.refused;
  const { format, width, height } = await sharp(image).metadata();
  return [format, width, height];
}

const SIZES: [[number, number], Size, [number, number]][] = [
  [[640, 480], { square: 256 }, [256, 256]],
  [[9, 30], { square: 256 }, [256, 256]],
  [[640, 480], { squareUpTo: 256 }, [256, 256]],
  [[90, 30], { squareUpTo: 256 }, [30, 30]],
  [[3_200, 1_800], { width: 1_600 }, [1_600, 900]],
  [[3_200, 1_800], { width: 640 }, [640, 360]],
  [[3_200, 1_800], { width: 256 }, [256, 144]],
  [[639, 480], { width: 640 }, [639, 480]],
  [[9, 30], { width: 256 }, [9, 30]],
  // WebP has no longer side.
  [[100, 20_000], { width: 1_600 }, [82, 16_383]],
];

// One after the other: the queue refuses pictures when too many wait.
for (const [[width, height], size, shown] of SIZES) {
  test.serial(
    `${width} x ${height} becomes ${shown.join(' x ')} for ${JSON.stringify(size)}`,
    async (t) => {
      t.deepEqual(await measure(await png(width, height), size), ['webp', ...shown]);
    },
  );
}

test.serial(
  'a picture on its side is turned before it is measured, and says nothing of it',
  async (t) => {
    const bytes = await canvas(800, 400)
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Copyright: 'taken at home' } })
      .jpeg()
      .toBuffer();
    t.deepEqual(await measure(bytes, { width: 300 }), ['webp', 300, 600]);
    const image = (await makeImage(bytes, { width: 300 })) as Buffer;
    t.is((await sharp(image).metadata()).exif, undefined);
  },
);

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>';

test.serial('only the bytes of a JPEG, PNG or WebP are a picture', async (t) => {
  const size = { width: 640 };
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const bytes = await canvas(30, 20).toFormat(format).toBuffer();
    t.deepEqual(await measure(bytes, size), ['webp', 30, 20], format);
    t.is(await measure(bytes.subarray(0, bytes.length / 2), size), 'no_picture', format);
  }
  for (const format of ['gif', 'tiff'] as const) {
    const bytes = await canvas(30, 20).toFormat(format).toBuffer();
    t.is(await measure(bytes, size), 'no_picture', format);
  }
  for (const text of ['', 'not a picture', SVG, `<?xml version="1.0"?>${SVG}`]) {
    t.is(await measure(Buffer.from(text), size), 'no_picture', text);
  }
});

test.serial('after the first picture the whole process opens no SVG', async (t) => {
  await makeImage(await png(9, 9), { width: 9 });
  await t.throwsAsync(sharp(Buffer.from(SVG)).metadata());
});

test.serial('a picture is refused by its header, for widths as for squares', async (t) => {
  const bytes = await png(8_000, 8_000);
  t.true(bytes.length < 1_000_000);
  t.is(await measure(bytes, { width: 256 }), 'too_large');
  t.is(await measure(bytes, { square: 256 }), 'too_large');
});

test.serial('one turn makes all sizes of a picture, or refuses it', async (t) => {
  const sizes = [{ width: 1_600 }, { width: 640 }, { width: 256 }];
  const made = (await makeImages(await png(800, 400), sizes)) as Buffer[];
  const widths = made.map(async (bytes) => (await sharp(bytes).metadata()).width);
  t.deepEqual(await Promise.all(widths), [800, 640, 256]);
  t.deepEqual(await makeImages(Buffer.from(SVG), sizes), { refused: 'no_picture' });
});

test.serial(
  'of twenty pictures at once one is made, eight wait and the others are told',
  async (t) => {
    const bytes = await png(300, 300);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => makeImages(bytes, [{ width: 256 }])),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    t.is(refused.length, 11);
    for (const each of refused) t.is((each as PromiseRejectedResult).reason.name, 'QueueFull');
  },
);
