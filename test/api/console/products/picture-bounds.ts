import test from 'ava';
import { countUpload } from '../../../../domain/catalog/pictures/count-upload.command.ts';
import {
  addPicture,
  takeDownPicture,
} from '../../../../domain/catalog/pictures/picture.command.ts';
import { WIDTHS } from '../../../../domain/catalog/pictures/picture.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { altsOf, builder, load, newPicture, send } from './picture-scene.ts';
import { teams } from './scene.ts';

const { api } = teams;

// The queue of pictures is short: one test after the other.
test.serial('a picture is taken down as an icon and as a screenshot at once', async (t) => {
  const { product, person, browser, add } = await builder();
  const other = await builder();
  const picture = await newPicture();
  await add('as a screenshot', picture);
  await send(other.browser, other.product, ['icon', { icon: picture }]);
  const { icon } = await load(other.product);
  const [{ hash } = { hash: '' }] = (await load(product)).screenshots;
  const by = { personId: person.id, ip: null };
  t.deepEqual(await takeDownPicture(api.database.em(), { hash, by }), { takenDown: true });
  t.deepEqual([(await load(other.product)).icon, await altsOf(product)], [null, []]);
  t.is((await api.request(`/images/${icon}-640.webp`)).status, 404);
  t.is((await send(browser, product, ['icon', { icon: picture }])).status, 422);
  t.is((await add('again', picture)).status, 422);
  const again = await takeDownPicture(api.database.em(), { hash: icon!, by });
  t.deepEqual(again, { refused: 'unchanged' });
});

test.serial('a role that is lost while a picture is made adds nothing', async (t) => {
  const team = await teams.team(['developer', 'viewer']);
  const product = await teams.productOf(team);
  const bytes = Buffer.from('made already');
  const addAs = ({ person }: { person: { id: string } }) =>
    addPicture(api.database.em(), {
      productId: product.id,
      by: { personId: person.id, isOperator: false, ip: null },
      picture: { kind: 'icon' },
      upload: { bytes, made: WIDTHS.map(() => bytes) },
    });
  t.deepEqual(await addAs(team.members.viewer), { refused: 'not_allowed' });
  t.deepEqual(await addAs(await builder()), { refused: 'not_found' });
  t.is((await load(product)).icon, null);
  t.deepEqual(await addAs(team.members.developer), { changed: true });
});

test.serial('the pictures of a removed product go with it, except those of others', async (t) => {
  const { product, browser, add } = await builder({ state: 'draft' });
  const other = await builder();
  const [own, shared] = [await newPicture(), await newPicture()];
  await add('own', own);
  await add('shared', shared);
  await other.add('shared', shared);
  const hashes = (await load(product)).screenshots.map(({ hash }) => hash);
  const statusesOf = () =>
    Promise.all(hashes.map(async (hash) => (await api.request(`/images/${hash}-640.webp`)).status));
  t.deepEqual(await statusesOf(), [200, 200]);
  const path = `/console/products/${product.slug}`;
  await browser.submit(path, { action: `${path}/remove`, fields: { slug: product.slug } });
  t.deepEqual(await load(product), { icon: null, screenshots: [] });
  t.deepEqual(await statusesOf(), [404, 200]);
  t.deepEqual(await altsOf(other.product), ['shared']);
});

test.serial(
  'a picture that a draft shows no more is kept for a day, and else for 30',
  async (t) => {
    for (const [state, days] of [
      ['draft', 1],
      ['listed', 30],
      ['unlisted', 30],
    ] as const) {
      const { product, add, edit } = await builder({ state });
      await add('one');
      const [{ hash } = { hash: '' }] = (await load(product)).screenshots;
      await edit({ action: 'remove', screenshot: hash });
      const kept = await api.test.query<{ days: number }>(
        `select distinct extract(epoch from remove_after - gatehouse_now()) / 86400 as days
       from image where hash = $1`,
        [hash],
      );
      t.deepEqual(
        kept.map((each) => Math.round(Number(each.days) * 100) / 100),
        [days],
        state,
      );
    }
  },
);

test.serial('60 pictures a day are taken for a product, and 120 of a person', async (t) => {
  const { product, person, add } = await builder();
  const { pool } = api.database;
  const count = (productId: string, personId: string) => countUpload(pool, { productId, personId });
  for (let n = 1; n <= 60; n += 1) {
    t.deepEqual(await count(product.id, newUuid()), { counted: true });
  }
  const before = await load(product);
  const refused = await add('one more');
  t.is(refused.status, 429);
  const wait = Number(refused.headers.get('retry-after'));
  t.true(wait > 86_000 && wait <= 86_400);
  t.regex(await refused.text(), /60 pictures are taken for a product within 24 hours/);
  t.deepEqual(await load(product), before);
  // The request above counts for the person as well.
  for (let n = 2; n <= 120; n += 1) {
    t.deepEqual(await count(newUuid(), person.id), { counted: true });
  }
  t.like(await count(newUuid(), person.id), { refused: 'too_many', most: 120 });
});
