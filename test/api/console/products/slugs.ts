import test from 'ava';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { createMaker, teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;

const pathOf = (slug: string) => `/console/products/${slug}/listing`;

const move = (by: Browser, from: string, slug: string) =>
  by.submit('/console/roles', { action: `${pathOf(from)}/slug`, fields: { slug } });
const trailOf = (productId: string) =>
  api.test.query<{ action: string; detail: object }>(
    'select action, detail from audit where product_id = $1 order by at, id',
    [productId],
  );

test('under a new slug the old one keeps working, and it may go back to it', async (t) => {
  const { browser, product } = await createMaker({ slug: 'first-name' });
  t.is(
    arrivalOf(await move(browser, 'first-name', ' Second-Name ')),
    `${pathOf('second-name')} saved`,
  );
  const old = await api.request('/p/first-name');
  t.is(old.status, 301);
  t.is(old.headers.get('location'), '/p/second-name');
  t.is((await api.request('/p/second-name')).status, 200);
  t.is((await api.request('/buy/first-name')).status, 303);
  t.is((await browser.get(pathOf('first-name'))).status, 200);
  t.regex(await (await browser.get(pathOf('second-name'))).text(), /<code>first-name<\/code>/);
  t.is((await move(browser, 'second-name', 'first-name')).status, 303);
  t.is((await api.request('/p/second-name')).headers.get('location'), '/p/first-name');
  t.deepEqual(
    (await trailOf(product.id)).map(({ detail }) => detail),
    [
      { from: 'first-name', to: 'second-name' },
      { from: 'second-name', to: 'first-name' },
    ],
  );
});

test('a slug that another product has or had is refused in place', async (t) => {
  const { browser, product } = await createMaker();
  await api.seed.product({ slug: 'taken-now', oldSlugs: ['taken-once'] });
  for (const slug of ['taken-now', 'taken-once', 'TAKEN-NOW']) {
    const response = await move(browser, product.slug, slug);
    t.is(response.status, 422);
    t.regex(await response.text(), /id="slug-problem"[^>]*>This slug is taken/);
  }
  for (const slug of ['', 'ab', 'a_b', '-ab', product.id]) {
    t.is((await move(browser, product.slug, slug)).status, 422, slug);
  }
  t.is((await move(browser, product.slug, 'a\0b')).status, 400);
  t.is((await move(browser, product.slug, product.slug)).status, 303);
  t.deepEqual(await trailOf(product.id), []);
});

test('of two products that want one slug at once, one gets it', async (t) => {
  const [one, other] = [await createMaker(), await createMaker()];
  const answers = await Promise.all([
    move(one.browser, one.product.slug, 'wanted-by-both'),
    move(other.browser, other.product.slug, 'wanted-by-both'),
  ]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test('many changes of one slug at once leave one current slug', async (t) => {
  const { browser, product } = await createMaker();
  const wanted = ['a', 'b', 'c', 'd'].map((letter) => `${product.slug}-${letter}`);
  const answers = await Promise.all(wanted.map((slug) => move(browser, product.slug, slug)));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
  const current = await api.test.query(
    'select slug from product_slug where product_id = $1 and is_current',
    [product.id],
  );
  t.is(current.length, 1);
});

test('a product has had 20 slugs at most', async (t) => {
  const { browser, product } = await createMaker();
  await api.test.query(
    `insert into product_slug (slug, product_id, is_current)
     select 'of-many-' || n, $1, false from generate_series(1, 19) n`,
    [product.id],
  );
  t.is((await move(browser, product.slug, 'one-too-many')).status, 422);
  t.is((await move(browser, product.slug, 'of-many-7')).status, 303);
});
