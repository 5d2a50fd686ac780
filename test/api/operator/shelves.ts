import test from 'ava';
import { noticeOf } from '../../support/http/arrival.ts';
import { people, operator } from './scene.ts';

const { api } = people;

const PATH = '/operator/shelves';

const fill = (fields: { place: string; title: string; products: string }) =>
  operator.browser.submit(PATH, { action: PATH, fields });

const storefront = async () => (await api.request('/')).text();

test.serial('an operator fills a shelf of the store, and empties it', async (t) => {
  const made = [];
  for (let n = 0; n < 9; n += 1) made.push(await api.seed.product({ name: `Shelved ${n}` }));
  const [first, second] = [made[0]!, made[1]!];
  const fields = {
    place: '1',
    title: ' Chosen  by us ',
    products: `${second.slug}\n\n${first.slug.toUpperCase()} `,
  };
  t.is(noticeOf(await fill(fields)), 'shelf_chosen');
  const [, shelf = ''] = /<h2>Chosen by us<\/h2>([^]*?)<\/section>/.exec(await storefront()) ?? [];
  const slugs = [...shelf.matchAll(/href="\/p\/([\w-]+)"/g)].map(([, slug]) => slug);
  t.deepEqual(slugs, [second.slug, first.slug]);
  const [audit] = await api.test.query<{ detail: object }>(
    `select detail from audit where action = 'shelf.chosen' and subject = 'shelf 1'`,
  );
  t.deepEqual(audit!.detail, { title: 'Chosen by us', products: [second.slug, first.slug] });
  t.is(noticeOf(await fill({ ...fields, products: ' ' })), 'shelf_chosen');
  t.notRegex(await storefront(), /Chosen by us/);
});

test.serial('a shelf names listed products only, at most twelve, and has a title', async (t) => {
  const unlisted = await api.seed.product({ state: 'unlisted' });
  const listed = await api.seed.product();
  for (const [fields, said] of [
    [{ title: 'T', products: `${listed.slug} ${unlisted.slug}` }, `slug: ${unlisted.slug}.`],
    [{ title: 'T', products: 'no-such-product' }, 'slug: no-such-product.'],
    [
      { title: 'T', products: Array.from({ length: 13 }, (_, n) => `p-${n}`).join(' ') },
      'at most 12',
    ],
    [{ title: '', products: listed.slug }, 'role="alert"'],
    [{ title: 'x'.repeat(61), products: listed.slug }, 'role="alert"'],
  ] as const) {
    const response = await fill({ place: '2', ...fields });
    t.is(response.status, 422);
    t.true((await response.text()).includes(said), said);
  }
  t.deepEqual(await api.test.query('select * from chosen_shelf where place = 2'), []);
});
