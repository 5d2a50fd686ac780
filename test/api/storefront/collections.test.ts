import test from 'ava';
import { createKnownShelves, SHELVES_KEPT_MS } from '../../../api/storefront/known-shelves.ts';
import { setChosenShelf } from '../../../domain/catalog/search/chosen-shelf.repository.ts';
import { includeWithMember } from '../../../domain/catalog/sales-settings.command.ts';
import { transferProduct } from '../../../domain/catalog/transfer.command.ts';
import { changeProfile } from '../../../domain/identity/profile.command.ts';
import { changeTeamName } from '../../../domain/teams/rename-team.command.ts';
import { rows } from '../../../platform/database/database.ts';
import { foundTeam } from '../../../domain/teams/team.repository.ts';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
const owner = await api.seed.person({ isBuilder: true, handle: 'marram' });
const tide = await api.seed.product({ owner, slug: 'tide-table', name: 'Tide Table' });
const moon = await api.seed.product({ owner, slug: 'moon', name: 'Moon', state: 'unlisted' });
test.after.always(() => api.close());

const read = async (path: string) => {
  const response = await api.request(path);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

test.serial('a category has a page of its own, which search engines may keep', async (t) => {
  const { status, text } = await read('/c/utilities');
  t.is(status, 200);
  t.true(text.includes('href="/p/tide-table"'));
  t.false(text.includes('href="/p/moon"'));
  t.regex(text, /<link rel="canonical" href="http[^"]+\/c\/utilities" \/>/);
  t.notRegex(text, /noindex/);
  t.regex((await read('/c/games')).text, /Nothing here yet/);
  t.is((await read('/c/cars')).status, 404);
  t.is((await read('/c/utilities?page=99')).headers.get('location'), '/c/utilities?page=40');
});

test.serial('a maker has a page with the products that are listed', async (t) => {
  const moved = await read('/by/Marram?x=y');
  t.deepEqual([moved.status, moved.headers.get('location')], [301, '/by/marram?x=y']);
  const { status, text } = await read('/by/marram');
  t.is(status, 200);
  t.true(text.includes('href="/p/tide-table"'));
  t.false(text.includes('href="/p/moon"'));
  t.regex(text, /<link rel="canonical" href="http[^"]+\/by\/marram" \/>/);
});

test.serial('the page of a maker has the limit of the search', async (t) => {
  const limited = await startApi({ limits: { search: 1 } });
  try {
    for (const path of ['/by/nobody', `/by/team/${moon.id}`]) {
      const response = await limited.request(path);
      t.truthy(response.headers.get('ratelimit-limit'), path);
    }
  } finally {
    await limited.close();
  }
});

test.serial('a page behind the last product says that it is empty', async (t) => {
  const { status, text } = await read('/c/utilities?page=2');
  t.is(status, 200);
  t.regex(text, /This page is empty[^]*href="\/c\/utilities"/);
  t.notRegex(text, /Nothing here yet/);
});

test.serial('a category that takes too long is a page of the store', async (t) => {
  const response = await api.database.transaction(async (em) => {
    await rows(em, 'lock table product_search in access exclusive mode');
    return api.request('/c/utilities');
  });
  t.is(response.status, 503);
  t.truthy(response.headers.get('retry-after'));
  t.regex(
    await response.text(),
    /This category took too long[^]*href="\/search\?category=utilities"/,
  );
});

test.serial('nobody has a page without a listed product', async (t) => {
  const visitor = await api.seed.person();
  for (const path of [`/by/${visitor.handle}`, '/by/nobody', '/by/team/x', `/by/team/${moon.id}`]) {
    t.is((await read(path)).status, 404, path);
  }
});

test.serial('a product leads to its maker, its category and others of it', async (t) => {
  const other = await api.seed.product({ slug: 'rip-current' });
  const path = '/p/tide-table';
  const shown = async () => {
    const { text } = await read(path);
    return /<h2>More in Utilities<\/h2>([^]*?)<\/section>/.exec(text)?.[1] ?? '';
  };
  const { text } = await read(path);
  t.true(text.includes('href="/by/marram"'));
  t.true(text.includes('href="/c/utilities"'));
  t.true((await shown()).includes('href="/p/rip-current"'));
  t.false((await shown()).includes('href="/p/tide-table"'));
  await changeState(api.database.em(), other.id, 'unlist');
  t.false((await shown()).includes('rip-current'), 'unlisted: gone at once');
});

test.serial('a preview of a link to a product shows its icon on a canvas', async (t) => {
  await api.test.query(
    `insert into product_image (product_id, position, kind, hash, alt)
     values ($1, 0, 'icon', $2, '')`,
    [tide.id, 'a'.repeat(32)],
  );
  const { text } = await read('/p/tide-table');
  t.regex(text, /<meta property="og:image" content="http[^"]+-1200\.webp" \/>/);
  t.regex(text, /<meta property="og:image:width" content="1200" \/>/);
  t.regex(text, /<meta property="og:image:height" content="630" \/>/);
});

test.serial('a product stands on one shelf of the store', async (t) => {
  for (let number = 0; number < 9; number += 1) await api.seed.product({ owner });
  await setChosenShelf(api.database.em(), { place: 1, title: 'Best', productIds: [tide.id] });
  const { text } = await read('/');
  const slugs = [...text.matchAll(/href="\/p\/([\w-]+)"/g)].map(([, slug]) => slug);
  t.is(slugs[0], 'tide-table');
  t.is(new Set(slugs).size, slugs.length);
  await setChosenShelf(api.database.em(), { place: 1, title: 'Best', productIds: [] });
});

test.serial('a new display name is searched for at once', async (t) => {
  const em = api.database.em();
  const person = await api.seed.person({ isBuilder: true, handle: 'dune' });
  const { slug } = await api.seed.product({ owner: person, slug: 'dune-watch' });
  await changeProfile(em, { personId: person.id, handle: 'dune', displayName: 'Zephyrine Works' });
  t.true((await read('/search?q=zephyrine')).text.includes(`href="/p/${slug}"`));
});

test.serial('the sitemap names its files, and those every listed product', async (t) => {
  const index = await read('/sitemap.xml');
  t.is(index.headers.get('content-type'), 'application/xml; charset=utf-8');
  const files = [...index.text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => new URL(url!));
  t.deepEqual(
    files.map(({ pathname }) => pathname),
    ['/sitemap/pages.xml', '/sitemap/products-1.xml'],
  );
  const products = await read('/sitemap/products-1.xml');
  t.is(products.status, 200);
  t.regex(products.text, /<loc>http[^<]+\/p\/tide-table<\/loc>/);
  t.notRegex(products.text, /moon/);
  t.regex((await read('/sitemap/pages.xml')).text, /\/c\/games<\/loc>/);
  for (const file of [
    'products-0.xml',
    'products-2.xml',
    'products-1000.xml',
    'x',
    'products-99999.xml',
  ]) {
    t.is((await read(`/sitemap/${file}`)).status, 404, file);
  }
});

test.serial('robots.txt names the sitemap, and keeps programs from buy links', async (t) => {
  const { text, headers } = await read('/robots.txt');
  t.is(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.regex(text, /^Disallow: \/buy\/$/m);
  t.regex(text, /^Sitemap: http\S+\/sitemap\.xml$/m);
});

test.serial('a product that is unlisted is gone from every list at once', async (t) => {
  await changeState(api.database.em(), tide.id, 'unlist');
  for (const path of ['/', '/c/utilities', '/sitemap/products-1.xml', '/search?q=tide']) {
    t.false((await read(path)).text.includes('/p/tide-table'), path);
  }
  await changeState(api.database.em(), tide.id, 'list');
  t.true((await read('/search?q=tide')).text.includes('href="/p/tide-table"'));
});

test.serial('the shelves of the store are read once in ten seconds', async (t) => {
  let at = 0;
  const shelves = createKnownShelves(api.database, SHELVES_KEPT_MS, () => at);
  const idsOf = async () => (await shelves.read()).flatMap(({ productIds }) => productIds);
  const before = await idsOf();
  t.true(before.includes(tide.id));
  const { id } = await api.seed.product({ owner });
  at = 9_999;
  t.deepEqual(await idsOf(), before);
  at = 10_000;
  t.true((await idsOf()).includes(id));
});

test.serial('the search follows what becomes Included, and a new name of a team', async (t) => {
  const em = () => api.database.em();
  const person = await api.seed.person({ isBuilder: true });
  const by = { personId: person.id, isOperator: false, isEmailVerified: true, ip: '192.0.2.1' };
  const { id, slug } = await api.seed.product({ owner: person, slug: 'heron' });
  const isFound = async (query: string) =>
    (await read(`/search?${query}`)).text.includes(`href="/p/${slug}"`);
  t.false(await isFound('included=1'));
  await includeWithMember(em(), { productId: id, isIncluded: true, by });
  t.true(await isFound('included=1'));
  const founded = await foundTeam(em(), { name: 'Quillwort', ownerId: person.id });
  const { teamId } = founded as { teamId: string };
  await api.seed.payoutAccount(person, { account: 'acct_quillwort' });
  await transferProduct(em(), { productId: id, fromTeamId: null, toTeamId: teamId, by });
  t.true(await isFound('q=quillwort'));
  await changeTeamName(em(), { teamId, name: 'Bladderwort', by });
  t.true(await isFound('q=bladderwort'));
  t.false(await isFound('q=quillwort'));
});

test.serial('a maker of many products has a page of 24 after the other', async (t) => {
  const person = await api.seed.person({ isBuilder: true, handle: 'many' });
  for (let n = 1; n <= 25; n += 1) await api.seed.product({ owner: person });
  const countOn = (text: string) => new Set(text.match(/href="\/p\/[^"]+"/g)).size;
  const first = await read('/by/many');
  t.is(countOn(first.text), 24);
  t.regex(first.text, /25 products in the store/);
  t.true(first.text.includes('href="/by/many?page=2"'));
  const second = await read('/by/many?page=2');
  t.is(countOn(second.text), 1);
  t.regex(second.text, /<link rel="canonical" href="http[^"]+\/by\/many\?page=2" \/>/);
  const third = await read('/by/many?page=3');
  t.deepEqual([third.status, countOn(third.text)], [200, 0]);
  t.regex(third.text, /This page is empty[^]*href="\/by\/many"/);
  t.is((await read('/by/many?page=x')).headers.get('location'), '/by/many');
});
