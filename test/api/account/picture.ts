import { crc32, deflateSync } from 'node:zlib';
import test from 'ava';
import sharp from 'sharp';
import { readProfile } from '../../support/identity/oauth.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { people, type Person } from './scene.ts';

const { api } = people;

const PROFILE = '/settings/profile';
const ACTION = `${PROFILE}/picture`;
const ORIENTED = 6;

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#a03060' } });

const toFile = (bytes: Uint8Array, name = 'me.jpg', type = 'image/jpeg') =>
  new File([new Uint8Array(bytes)], name, { type });

const upload = ({ browser }: Pick<Person, 'browser'>, picture: File | string) =>
  browser.submit(PROFILE, { action: ACTION, fields: { picture } });

async function imageOf({ person }: Person): Promise<string> {
  const { token } = await api.seed.token({ product: await api.seed.product(), person });
  const { image } = (await (await readProfile(api, token)).json()) as { image: string };
  return image;
}

test('a picture is shown as a square, upright, without what the camera wrote into it', async (t) => {
  const one = await people.signedIn();
  const drawn = await imageOf(one);
  const photo = await canvas(640, 480)
    .withMetadata({ orientation: ORIENTED })
    .withExifMerge({ IFD0: { Copyright: 'taken at home' } })
    .jpeg()
    .toBuffer();
  t.true(photo.includes('taken at home'));
  const saved = await upload(one, toFile(photo));
  t.is(arrivalOf(saved), `${PROFILE} saved`);
  const image = await imageOf(one);
  t.not(image, drawn);
  const shown = await fetch(image);
  t.is(shown.status, 200);
  t.is(shown.headers.get('content-type'), 'image/webp');
  t.regex(shown.headers.get('cache-control')!, /immutable/);
  t.is(shown.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const bytes = Buffer.from(await shown.arrayBuffer());
  t.like(await sharp(bytes).metadata(), { format: 'webp', width: 256, height: 256 });
  t.false(bytes.includes('taken at home'));
  t.true((await (await one.browser.get(PROFILE)).text()).includes(new URL(image).pathname));
});

test('another picture has another address, and the earlier one is gone', async (t) => {
  const one = await people.signedIn();
  await upload(one, toFile(await canvas(300, 300).png().toBuffer()));
  const first = await imageOf(one);
  await upload(one, toFile(await canvas(300, 300).negate().webp().toBuffer()));
  const second = await imageOf(one);
  t.not(second, first);
  t.is((await fetch(first)).status, 404);
  t.is((await fetch(second)).status, 200);
});

test('a picture that is removed makes room for the one that is drawn', async (t) => {
  const one = await people.signedIn();
  const drawn = await imageOf(one);
  await upload(one, toFile(await canvas(300, 300).png().toBuffer()));
  const image = await imageOf(one);
  const removed = await one.browser.submit(PROFILE, { action: `${ACTION}/remove` });
  t.is(removed.status, 303);
  t.is(await imageOf(one), drawn);
  t.is((await fetch(image)).status, 404);
});

test('what is no picture is refused in place, and the old picture stays', async (t) => {
  const one = await people.signedIn();
  await upload(one, toFile(await canvas(300, 300).png().toBuffer()));
  const image = await imageOf(one);
  const whole = await canvas(2_000, 2_000).jpeg().toBuffer();
  const vector = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>';
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('not a picture'),
    Buffer.from(vector),
    await canvas(30, 30).gif().toBuffer(),
    await canvas(30, 30).tiff().toBuffer(),
    whole.subarray(0, whole.length / 2),
    // Small to send, 64 million pixels to unpack.
    await canvas(8_000, 8_000).png({ compressionLevel: 9 }).toBuffer(),
  ]) {
    const refused = await upload(one, toFile(bytes));
    t.is(refused.status, 422);
    t.regex(await refused.text(), /id="picture-problem"[^>]*>Choose a JPEG, PNG or WebP picture/);
  }
  t.is((await upload(one, 'a word')).status, 415, 'sent as an ordinary form');
  const large = await upload(one, toFile(Buffer.alloc(5 * 1024 * 1024)));
  t.is(large.status, 413);
  t.is(await imageOf(one), image);
});

/** A PNG as far as its first pixels: 8 bytes each, interlaced. */
function headOfPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([16, 6, 0, 0, 1], 8); // bits, RGBA, deflate, filters, Adam7
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A small picture whose header says another size. */
async function headOfProgressiveJpeg(side: number): Promise<Buffer> {
  const bytes = await canvas(8, 8).jpeg({ progressive: true }).toBuffer();
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc2]));
  bytes.writeUInt16BE(side, frame + 5);
  bytes.writeUInt16BE(side, frame + 7);
  return bytes;
}

test('a small file that unpacks to hundreds of megabytes is refused by its header', async (t) => {
  const one = await people.signedIn();
  for (const bytes of [
    headOfPng(7_000),
    headOfPng(5_001),
    headOfPng(1_000_000),
    await headOfProgressiveJpeg(7_000),
    await canvas(8_000, 8_000).png({ compressionLevel: 9 }).toBuffer(),
  ]) {
    const refused = await upload(one, toFile(bytes));
    t.is(refused.status, 422);
    t.regex(await refused.text(), /picture with fewer pixels\. Unpacked, this one is too large\./);
  }
  t.regex(await (await upload(one, toFile(headOfPng(100)))).text(), /WebP picture\.</, 'no end');
});

test('ordinary pictures are taken: deep, interlaced, rotated, and those of a phone', async (t) => {
  const one = await people.signedIn();
  const deep = canvas(900, 700).ensureAlpha().toColourspace('rgb16');
  for (const picture of [
    deep.png({ progressive: true }).withMetadata({ orientation: ORIENTED }),
    canvas(4_000, 3_000).jpeg({ progressive: true }).withMetadata({ orientation: ORIENTED }),
    canvas(8_000, 6_000).jpeg().withMetadata({ orientation: ORIENTED }),
    canvas(4_000, 3_000).webp({ effort: 0 }),
  ]) {
    t.is((await upload(one, toFile(await picture.toBuffer()))).status, 303);
  }
});

test('a picture is taken from forms of our own pages only', async (t) => {
  const one = await people.signedIn();
  const picture = toFile(await canvas(30, 30).png().toBuffer());
  const foreign = { action: ACTION, fields: { picture, csrf: 'x' } };
  t.is((await one.browser.submit(PROFILE, foreign)).status, 403);
  const headers = { origin: 'https://elsewhere.example' };
  const sent = await one.browser.submit(PROFILE, { ...foreign, fields: { picture }, headers });
  t.is(sent.status, 403);
  const body = 'no parts at all';
  const type = 'multipart/form-data; boundary=x';
  const broken = await one.browser.submit(PROFILE, { action: ACTION, fields: {}, headers: {} });
  t.is(broken.status, 415);
  const cookie = [...one.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const init = { method: 'POST', body, headers: { cookie, 'content-type': type } };
  t.is((await api.request(ACTION, init)).status, 400);
});

test('with the account goes its picture', async (t) => {
  const one = await people.signedIn();
  await upload(one, toFile(await canvas(300, 300).png().toBuffer()));
  const image = await imageOf(one);
  const deleted = await one.browser.submit('/settings/delete-account', {
    action: '/settings/delete-account',
    fields: { password: one.person.password },
  });
  t.is(deleted.status, 303);
  t.is((await fetch(image)).status, 404);
  t.deepEqual(
    await api.test.query('select 1 from person_image where person_id = $1', [one.person.id]),
    [],
  );
});

test('a picture that nobody has chosen is not there', async (t) => {
  const { person } = await people.signedIn();
  for (const path of [
    `${person.id}/image/${'0'.repeat(32)}.webp`,
    'x/image/y',
    `${person.id}/image/x.webp`,
  ]) {
    t.is((await api.request(`/people/${path}`)).status, 404);
  }
});
