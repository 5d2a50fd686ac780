import test from 'ava';
import sharp from 'sharp';
import { takeDownPicture } from '../../../../domain/catalog/pictures/picture.command.ts';
import { WIDTHS } from '../../../../domain/catalog/pictures/picture.ts';
import { arrivalOf, noticeOf } from '../../../support/http/arrival.ts';
import { altsOf, builder, load, newPicture, pathOf, send } from './picture-scene.ts';
import { teams } from './scene.ts';

const { api } = teams;

// The queue of pictures is short: one test after the other.
test.serial('an uploaded icon stands where the drawn one stood, as a square', async (t) => {
  const { browser, product } = await builder();
  const icon = await newPicture({ width: 900, height: 700 });
  const saved = await send(browser, product, ['icon', { icon }]);
  t.is(arrivalOf(saved), `${pathOf(product)} saved`);
  const { icon: hash } = await load(product);
  const address = `/images/${hash}-256.webp`;
  for (const path of [`/p/${product.slug}`, pathOf(product), '/console']) {
    t.true((await (await browser.get(path)).text()).includes(`href="${address}"`), path);
  }
  for (const [width, side] of [
    [1600, 700],
    [640, 640],
    [256, 256],
  ]) {
    const shown = await api.request(`/images/${hash}-${width}.webp`);
    t.is(shown.status, 200);
    t.is(shown.headers.get('content-type'), 'image/webp');
    t.is(shown.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(shown.headers.get('set-cookie'), null);
    const bytes = Buffer.from(await shown.arrayBuffer());
    t.like(await sharp(bytes).metadata(), { format: 'webp', width: side!, height: side! });
  }
  t.is(noticeOf(await send(browser, product, ['pictures', { action: 'remove_icon' }])), 'saved');
  t.false((await (await browser.get(`/p/${product.slug}`)).text()).includes(address));
});

test.serial('a picture that nobody uploaded is 404, and no session is read for it', async (t) => {
  const { browser } = await builder();
  const hash = '0'.repeat(32);
  for (const name of [`${hash}-640.webp`, `${hash}-641.webp`, `${hash}.webp`, 'x', '%00']) {
    const response = await browser.get(`/images/${name}`);
    t.is(response.status, 404, name);
    t.regex(await response.text(), /Sign in/, 'as for anybody');
  }
});

test.serial('screenshots are added, described, moved, replaced and removed', async (t) => {
  const { product, browser, add, edit } = await builder();
  for (const alt of ['one', 'two', 'three']) t.is(noticeOf(await add(alt)), 'saved');
  const [one, two, three] = (await load(product)).screenshots.map(({ hash }) => hash);
  await edit({ action: 'earlier', screenshot: three! });
  t.deepEqual(await altsOf(product), ['one', 'three', 'two']);
  await edit({ action: 'later', screenshot: one! });
  t.deepEqual(await altsOf(product), ['three', 'one', 'two']);
  await edit({ action: 'describe', screenshot: two!, alt_text: ' Two  <b> ' });
  t.deepEqual(await altsOf(product), ['three', 'one', 'Two <b>']);
  const replacement = await newPicture();
  await send(browser, product, ['screenshots/replace', { screenshot: one!, replacement }]);
  t.deepEqual(await altsOf(product), ['three', 'one', 'Two <b>'], 'its text stays');
  t.not((await load(product)).screenshots[1]!.hash, one!);
  t.is(noticeOf(await edit({ action: 'remove', screenshot: three! })), 'saved');
  t.is(noticeOf(await edit({ action: 'remove', screenshot: three! })), 'unchanged', 'sent twice');
  const page = await (await api.request(`/p/${product.slug}`)).text();
  t.true(page.indexOf('alt="one"') > 0 && page.includes('alt="Two &lt;b&gt;"'));
  const trail = await api.test.query<{ action: string; change: string }>(
    `select action, detail->>'change' as change from audit where product_id = $1 order by at, id`,
    [product.id],
  );
  t.deepEqual(
    trail.map(({ action, change }) => `${action} ${change}`),
    [
      'picture.added add',
      'picture.added add',
      'picture.added add',
      'picture.changed earlier',
      'picture.changed later',
      'picture.changed describe',
      'picture.added replace',
      'picture.removed remove',
    ],
  );
});

test.serial('a screenshot that is added again gets the new text', async (t) => {
  const { product, add } = await builder();
  const screenshot = await newPicture();
  await add('before', screenshot);
  await add('another');
  t.is(noticeOf(await add('after', screenshot)), 'saved');
  t.deepEqual(await altsOf(product), ['after', 'another']);
  t.is(noticeOf(await add('after', screenshot)), 'unchanged');
});

test.serial('the screenshots of a draft are in its preview, and in no other page', async (t) => {
  const { product, browser, add } = await builder({ state: 'draft' });
  await add('Not yet shown');
  t.regex(await (await browser.get(`/p/${product.slug}`)).text(), /alt="Not yet shown"/);
  t.is((await api.request(`/p/${product.slug}`)).status, 404);
});

test.serial('a ninth screenshot, and what is no picture, is refused at its field', async (t) => {
  const { product, browser, add } = await builder();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>';
  for (const text of ['', 'not a picture', svg]) {
    const refused = await add('Typed & kept', new File([text], 'x.png', { type: 'image/png' }));
    t.is(refused.status, 422);
    const page = await refused.text();
    t.regex(page, /id="screenshot-problem"[^>]*>Choose a JPEG, PNG or WebP picture/);
    t.true(page.includes('value="Typed &amp; kept"'));
  }
  t.is((await add(' ')).status, 422, 'without a text');
  const icon = new File([svg], 'x.svg', { type: 'image/svg+xml' });
  const refused = await send(browser, product, ['icon', { icon }]);
  t.regex(await refused.text(), /id="icon-problem"[^>]*>Choose a JPEG, PNG or WebP picture/);
  const large = new File([Buffer.alloc(5 * 1024 * 1024)], 'x.png');
  t.is((await add('Large', large)).status, 413);
  for (let number = 1; number <= 8; number += 1) await add(String(number));
  t.is((await load(product)).screenshots.length, 8);
  t.is((await add('ninth')).status, 422);
  t.is((await load(product)).screenshots.length, 8);
});

test.serial('two people who add the eighth screenshot at once add one', async (t) => {
  const { product, add } = await builder();
  for (let number = 1; number <= 7; number += 1) await add(String(number));
  const answers = await Promise.all([add('one'), add('other')]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
  t.is((await load(product)).screenshots.length, 8);
});

test.serial('twenty uploads at once end well, or are told to try again', async (t) => {
  const { browser, person: owner } = await builder();
  const uploads = await Promise.all(
    Array.from({ length: 20 }, async () => ({
      product: await api.seed.product({ owner }),
      icon: await newPicture({ width: 2_000, height: 1_500 }),
    })),
  );
  const answers = await Promise.all(
    uploads.map(({ product, icon }) => send(browser, product, ['icon', { icon }])),
  );
  for (const { status, headers } of answers.filter(({ status }) => status !== 303)) {
    t.deepEqual([status, headers.get('retry-after')], [503, '5']);
  }
  t.true(answers.filter(({ status }) => status === 303).length >= 9);
});

test.serial('the version of a listing stays where its pictures change', async (t) => {
  const { product, add } = await builder();
  const read = () => api.test.query('select * from product where id = $1', [product.id]);
  const before = await read();
  await add('one');
  t.deepEqual(await read(), before);
});

test.serial('a picture that was taken down comes back as neither kind', async (t) => {
  const { product, person, browser, add } = await builder();
  const other = await builder();
  const screenshot = await newPicture();
  for (const each of [{ add }, other]) {
    t.is(noticeOf(await each.add('shared', screenshot)), 'saved');
  }
  const [{ hash } = { hash: '' }] = (await load(product)).screenshots;
  const takeDown = () =>
    takeDownPicture(api.database.em(), { hash, by: { personId: person.id, ip: null } });
  t.deepEqual(await takeDown(), { takenDown: true });
  t.deepEqual(await takeDown(), { refused: 'unchanged' });
  t.deepEqual([await altsOf(product), await altsOf(other.product)], [[], []]);
  t.is((await api.request(`/images/${hash}-640.webp`)).status, 404);
  const refused = await add('again', screenshot);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /An operator took this picture down/);
  t.is((await send(browser, product, ['icon', { icon: screenshot }])).status, 422);
  const kept = await api.test.query('select bytes from image where hash = $1', [hash]);
  t.deepEqual(
    kept,
    WIDTHS.map(() => ({ bytes: null })),
  );
});

test.serial('of an upload and a takedown at once, the picture stays down', async (t) => {
  const one = await builder();
  const other = await builder();
  const screenshot = await newPicture();
  await one.add('shared', screenshot);
  const [{ hash } = { hash: '' }] = (await load(one.product)).screenshots;
  const by = { personId: one.person.id, ip: null };
  await Promise.all([
    takeDownPicture(api.database.em(), { hash, by }),
    other.add('shared', screenshot),
    one.add('another'),
  ]);
  t.deepEqual(await altsOf(other.product), []);
  t.deepEqual(await altsOf(one.product), ['another']);
  t.is((await api.request(`/images/${hash}-640.webp`)).status, 404);
});
