import { crc32, deflateSync } from 'node:zlib';
import test from 'ava';
import sharp, { type Sharp } from 'sharp';
import { makeImage, makeImages } from '../../platform/images.ts';
import { keepPixels } from '../../platform/png.ts';

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
  [[100, 20_000], { width: 1_600 }, [20, 4_096]],
  [[100, 20_000], { width: 640 }, [13, 2_560]],
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

test.serial('a canvas has the picture in its middle, on one plain ground', async (t) => {
  const sizes = [{ width: 1_600 }, { canvas: { width: 1_200, height: 630, margin: 115 } }];
  const [, made] = (await makeImages(await png(300, 300), sizes)) as Buffer[];
  const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true });
  t.deepEqual([info.width, info.height, info.channels], [1_200, 630, 3]);
  const at = (x: number, y: number) => {
    const start = (y * info.width + x) * info.channels;
    return [...data.subarray(start, start + info.channels)];
  };
  // 400 high between margins of 115, and as wide.
  for (const [x, y] of [
    [0, 0],
    [1_199, 629],
    [390, 315],
    [600, 105],
  ] as const) {
    t.true(
      at(x, y).every((value) => value > 240),
      `${x} ${y}`,
    );
  }
  for (const [x, y] of [
    [410, 315],
    [790, 315],
    [600, 125],
    [600, 505],
  ] as const) {
    t.false(
      at(x, y).every((value) => value > 240),
      `${x} ${y}`,
    );
  }
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

test.serial('a WebP counts as three times its pixels with an alpha channel', async (t) => {
  const webp = (width: number, height: number) =>
    canvas(width, height).webp({ lossless: true }).toBuffer();
  const long = await webp(1_600, 16_383);
  t.true(long.length < 2_000);
  t.is(await measure(long, { width: 1_600 }), 'too_large');
  t.is(await measure(await webp(4_100, 4_100), { width: 256 }), 'too_large');
  t.deepEqual(await measure(await webp(4_000, 4_000), { width: 256 }), ['webp', 256, 256]);
});

test.serial('an interlaced PNG counts twice', async (t) => {
  const interlaced = (width: number, height: number) =>
    canvas(width, height).png({ progressive: true }).toBuffer();
  t.is(await measure(await interlaced(5_800, 5_800), { width: 256 }), 'too_large');
  t.deepEqual(await measure(await interlaced(3_000, 3_000), { width: 256 }), ['webp', 256, 256]);
});

function chunk(type: string, data: Buffer): Buffer {
  const start = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data]);
  start.writeUInt32BE(data.length);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(start.subarray(4)));
  return Buffer.concat([start, end]);
}

/** The signature and the header of a PNG. */
const BEFORE_CHUNKS = 33;

const insert = (bytes: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, BEFORE_CHUNKS), ...chunks, bytes.subarray(BEFORE_CHUNKS)]);

test.serial('the decoder of a PNG is not given texts to unpack, nor twice a profile', async (t) => {
  const plain = keepPixels(await png(30, 20))!;
  const packed = deflateSync(Buffer.alloc(7_900_000, 'x'));
  const text = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), packed]));
  const international = chunk('iTXt', Buffer.concat([Buffer.from('a\0\x01\0\0\0'), packed]));
  const texts = Array.from({ length: 40 }, () => [text, international]).flat();
  const bomb = insert(plain, ...texts);
  t.true(bomb.length < 700_000);
  t.deepEqual(keepPixels(bomb), plain);
  t.deepEqual(await measure(bomb, { width: 640 }), ['webp', 30, 20]);
  const profile = chunk('iCCP', Buffer.alloc(60_000));
  const long = chunk('eXIf', Buffer.alloc(70_000));
  t.deepEqual(keepPixels(insert(plain, profile, profile, long)), insert(plain, profile));
});

test.serial('a PNG whose chunks break off is no picture', async (t) => {
  const plain = await png(30, 20);
  for (const bytes of [
    plain.subarray(0, 8),
    plain.subarray(0, BEFORE_CHUNKS),
    plain.subarray(0, -1),
    plain.subarray(0, -12),
    insert(plain, Buffer.from('ffffffff', 'hex')),
  ]) {
    t.is(keepPixels(bytes), null);
    t.is(await measure(bytes, { width: 640 }), 'no_picture');
  }
  t.deepEqual(keepPixels(Buffer.concat([plain, plain])), keepPixels(plain));
});

test.serial('a PNG keeps its orientation and its colours', async (t) => {
  const turned = await canvas(80, 40).withMetadata({ orientation: 6 }).png().toBuffer();
  t.deepEqual(await measure(turned, { width: 640 }), ['webp', 40, 80]);
  const red = async (picture: Sharp) => {
    const image = (await makeImage(await picture.png().toBuffer(), { width: 9 })) as Buffer;
    return (await sharp(image).stats()).channels[0]!.mean;
  };
  const shown = await red(canvas(9, 9));
  // Display P3 writes this red as 148, and rounds it.
  t.true(Math.abs((await red(canvas(9, 9).withIccProfile('p3'))) - shown) < 2);
});
