import test from 'ava';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { addLine, addPeriod } from '../../../support/pool/period-rows.ts';
import { people, operator } from './pool.scene.ts';

const { api } = people;

const show = async (path: string) => (await operator.browser.get(path)).text();
const decide = (path: string, fields: Record<string, string>) =>
  operator.browser.submit(path, { action: `${path}/review`, fields });

let year = 2050;

/** A month with more products than a page shows: the last one has the smallest amount. */
async function largePeriod() {
  const id = `${(year += 1)}-11:EUR`;
  await addPeriod(api.test, { id, status: 'in_review' });
  const path = `/operator/pool/periods/${id}`;
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({
    owner,
    name: 'Needle 100% Haystäck',
    slug: `hay-${year}`,
  });
  const amounts = Array.from({ length: 61 }, (_, place) => 1_000 + place);
  for (const amountMinor of amounts) {
    const { id: productId } = await api.seed.product({ owner });
    await addLine(api.test, { periodId: id, productId, personId: owner.id, amountMinor });
  }
  const last = { productId: product.id, amountMinor: 7 };
  await addLine(api.test, { ...last, periodId: id, personId: owner.id });
  return { path, product };
}

const productsIn = (page: string) =>
  [...page.split('<h2>Products</h2>')[1]!.matchAll(/href="\/console\/products\/([^"]+)"/g)].map(
    ([, slug]) => slug!,
  );

test.serial('every product of a month is found, by pages and by name, slug or id', async (t) => {
  const { path, product } = await largePeriod();
  const first = await show(path);
  t.is(productsIn(first).length, 50);
  t.regex(first.replaceAll(/\s+/g, ' '), /62 products in this month/);
  const [, next] = /href="([^"]+#products)" rel="next"/.exec(first)!;
  const second = await show(next!.split('#')[0]!);
  t.is(new Set([...productsIn(first), ...productsIn(second)]).size, 62);
  t.is(productsIn(second).at(-1), product.slug);
  t.notRegex(second, /rel="next"|data-chart="split"/);
  const names = ['needle', '100% HAY', 'haysta\u0308ck'];
  for (const typed of [...names, ` ${product.id} `, product.slug, 'Hay-']) {
    const found = await show(`${path}?find=${encodeURIComponent(typed)}`);
    t.true(productsIn(found).includes(product.slug), typed);
    t.regex(found, new RegExp(`name="product" value="${product.id}"`), typed);
  }
  const { id: stranger } = await api.seed.product({ name: 'Needle of no month' });
  t.deepEqual(productsIn(await show(`${path}?find=needle`)), [product.slug]);
  for (const typed of [stranger, '%', '_', "'", 'x'.repeat(80), 'x'.repeat(10_000)]) {
    const page = await show(`${path}?find=${encodeURIComponent(typed)}`);
    t.regex(page, typed === '%' ? /Needle 100% Haystäck/ : /No matching products\./, typed);
  }
  t.regex(await show(`${path}?after=${stranger}`), /No matching products\./);
  for (const search of ['after=x', `find=%00`]) {
    t.is((await operator.browser.get(`${path}?${search}`)).status, 400, search);
  }
});

test.serial('a product that was searched for is held there, and the search is kept', async (t) => {
  const { path, product } = await largePeriod();
  const search = { find: 'needle', after: '' };
  const hold = { action: 'hold', product: product.id, ...search };
  const refused = await decide(path, { ...hold, reason: ' ' });
  t.is(refused.status, 422);
  const page = await refused.text();
  t.deepEqual(productsIn(page), [product.slug]);
  t.regex(page, /<details class="fold" open>[\s\S]*id="reason-problem"/);
  const held = await decide(path, { ...hold, reason: 'Days at night only.' });
  t.is(arrivalOf(held), `${path}?find=needle pool_product_held`);
  const shown = await show(`${path}?find=needle`);
  t.regex(shown, /Held: Days at night only\./);
  const release = { action: 'release', product: product.id, reason: 'They explained it.' };
  const after = (await api.test.query<{ id: string }>('select id from product limit 1'))[0]!.id;
  const released = await decide(path, { ...release, find: '', after });
  t.is(arrivalOf(released), `${path}?after=${after} pool_product_released`);
  t.is((await decide(path, { ...release, find: '\0' })).status, 400);
});

test.serial('a hold offers this month only until it is settled', async (t) => {
  const owner = await api.seed.person({ isBuilder: true });
  const { id: productId } = await api.seed.product({ owner });
  const offers = [
    ['in_review', /gets of this and later months waits/],
    ['approved', /gets of this and later months waits/],
    ['paying', /gets of later months waits[^<]*This month is not changed/],
    ['paid', /gets of later months waits[^<]*This month is not changed/],
  ] as const;
  for (const [status, offer] of offers) {
    const id = `${(year += 1)}-11:EUR`;
    await addPeriod(api.test, { id, status });
    await addLine(api.test, { periodId: id, productId, personId: owner.id, amountMinor: 7 });
    const page = await show(`/operator/pool/periods/${id}`);
    t.regex(page.replaceAll(/\s+/g, ' '), offer, status);
  }
});
