import test from 'ava';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { startApi } from '../../support/http/api.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { holdSeal } from '../../support/catalog/seals.ts';

const api = await startApi({ limits: { badge: 10_000 } });
const owner = await api.seed.person({ isBuilder: true });
test.after.always(() => api.close());

const read = async (path: string) => {
  const response = await api.request(path);
  const text = await response.text();
  const [list = ''] = /<main[\s\S]*<\/main>/.exec(text) ?? [];
  return {
    status: response.status,
    text,
    slugs: [...list.matchAll(/href="\/p\/([\w-]+)"/g)].map(([, slug]) => slug!),
    next: /href="([^"]+)" rel="next"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? null,
  };
};

async function readAll(first: string): Promise<string[]> {
  const slugs: string[] = [];
  let path: string | null = first;
  while (path !== null) {
    const page: Awaited<ReturnType<typeof read>> = await read(path);
    slugs.push(...page.slugs);
    path = page.next;
  }
  return slugs;
}

const made: string[] = [];
test.before(async () => {
  for (let number = 0; number < 50; number += 1) {
    const product = await api.seed.product({
      owner,
      name: `Tide ${number}`,
      includedWithMember: number % 2 === 0,
      state: number === 49 ? 'unlisted' : 'listed',
    });
    // Several were listed at the same instant.
    const listedAt = new Date(Date.UTC(2026, 0, 1 + Math.floor(number / 10)));
    await api.database.em().nativeUpdate(Product, { id: product.id }, { listedAt });
    if (number < 49) made.push(product.slug);
  }
});

test.serial('the store shows 24 products a page, and each product on one of them', async (t) => {
  const first = await read('/');
  t.is(first.slugs.length, 24);
  t.regex(first.next!, /^\/\?after=[0-9a-f-]{36}$/);
  const all = await readAll('/');
  t.deepEqual(all.toSorted(), made.toSorted());
});

test.serial('the same holds of the products that Member includes', async (t) => {
  t.is((await read('/member')).slugs.length, 24);
  const all = await readAll('/member');
  t.deepEqual(all.toSorted(), made.filter((_, number) => number % 2 === 0).toSorted());
});

test.serial('the search finds words of name and tagline, in any order and case', async (t) => {
  await api.seed.product({ owner, name: 'Pocket Synth', slug: 'pocket-synth' });
  for (const q of ['synth', 'POCKET', 'synth pocket', 'thing synth well', '  pocket   synth ']) {
    t.deepEqual((await read(`/search?q=${encodeURIComponent(q)}`)).slugs, ['pocket-synth'], q);
  }
  await api.database.em().nativeUpdate(Product, { name: 'Pocket Synth' }, { state: 'unlisted' });
  t.deepEqual((await read('/search?q=pocket')).slugs, []);
  const found = await readAll('/search?q=tide');
  t.deepEqual(found.toSorted(), made.toSorted());
  t.regex((await read('/search?q=tide')).next!, /^\/search\?q=tide&after=[0-9a-f-]{36}$/);
});

test.serial('what stands for other characters in a pattern stands for itself', async (t) => {
  for (const q of ['%', '_', 'ti%', '\\', "'", '%00', 'a\0']) {
    const { status, slugs } = await read(`/search?q=${encodeURIComponent(q)}`);
    t.is(status, 200, q);
    t.deepEqual(slugs, [], q);
  }
});

test.serial(
  'an empty search shows the store, one of nonsense shows that nothing matches',
  async (t) => {
    t.is((await read('/search')).slugs.length, 24);
    t.is((await read('/search?q=')).slugs.length, 24);
    const { text, status } = await read(`/search?q=${'x'.repeat(5_000)}`);
    t.is(status, 200);
    t.regex(text, /No products match/);
    t.true((await read('/search?q=%3Cb%3E')).text.includes('&lt;b&gt;'));
    t.is((await read('/search?q=a&q=b')).status, 200);
  },
);

test.serial('a place in the list that is none is the first page', async (t) => {
  for (const after of ['x', '1', "'--", 'x'.repeat(2_000)]) {
    const { status, slugs } = await read(`/?after=${encodeURIComponent(after)}`);
    t.is(status, 200, after);
    t.is(slugs.length, 24, after);
  }
  t.deepEqual((await read(`/?after=${crypto.randomUUID()}`)).slugs, []);
});

test.serial('every page has the search', async (t) => {
  t.regex(
    (await read('/sign-in')).text,
    /<form class="store-search" method="get" action="\/search">/,
  );
});

const readBadge = async (ref: string, init?: RequestInit) => {
  const response = await api.request(`/p/${ref}/badge`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const sell = (state: 'draft' | 'listed' | 'unlisted' | 'removed', oldSlugs: string[] = []) =>
  api.seed.product({ state, oldSlugs });

test('the badge of a listed product says that it is on the platform', async (t) => {
  const { slug } = await sell('listed');
  const { status, headers, text } = await readBadge(slug);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  t.regex(text, /^<svg [^>]*role="img"[^>]*aria-labelledby="t"/);
  t.regex(text, /<title id="t">Listed on Gatehouse<\/title>/);
  t.notRegex(text, /Not listed/);
});

test('the badge says `Not listed` for every state but listed', async (t) => {
  for (const state of ['draft', 'unlisted', 'removed'] as const) {
    const { status, text } = await readBadge((await sell(state)).slug);
    t.is(status, 200, state);
    t.regex(text, /<title id="t">Not listed<\/title>/);
  }
});

test('an unknown product is 404 with the same picture', async (t) => {
  const unlisted = await readBadge((await sell('unlisted')).slug);
  for (const ref of ['never-was', newUuid(), 'ab', 'NEVER', '%00', "'--", 'null']) {
    const { status, text, headers } = await readBadge(ref);
    t.is(status, 404, ref);
    t.is(text, unlisted.text);
    t.is(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.is(headers.get('etag'), null);
  }
});

test('old slugs and the UUID name the product directly', async (t) => {
  const product = await sell('listed', ['a-name-of-before']);
  for (const ref of ['a-name-of-before', product.id, product.id.toUpperCase()]) {
    t.regex((await readBadge(ref)).text, /Listed on Gatehouse/);
  }
});

test('the badge changes as soon as the product is unlisted: caches ask each time', async (t) => {
  const { id, slug } = await sell('listed');
  const first = await readBadge(slug);
  t.is(first.headers.get('cache-control'), 'no-cache');
  const etag = first.headers.get('etag')!;
  for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await readBadge(slug, { headers: { 'if-none-match': given } });
    t.is(again.status, 304, given);
    t.is(again.text, '');
    t.is(again.headers.get('etag'), etag);
    t.is(again.headers.get('cross-origin-resource-policy'), 'cross-origin');
  }
  await api.database.em().nativeUpdate(Product, { id }, { state: 'unlisted' });
  const changed = await readBadge(slug, { headers: { 'if-none-match': etag } });
  t.is(changed.status, 200);
  t.regex(changed.text, /Not listed/);
  t.not(changed.headers.get('etag'), etag);
});

test('pages of any site may embed it', async (t) => {
  const listed = await sell('listed');
  for (const ref of [listed.slug, 'never-was']) {
    const { headers } = await readBadge(ref);
    t.is(headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.is(headers.get('set-cookie'), null);
  }
});

test('many badges asked for at once are each their own', async (t) => {
  const [listed, unlisted] = [await sell('listed', ['one-more-name']), await sell('unlisted')];
  const refs = [listed.slug, unlisted.slug, 'never-was', listed.id, 'one-more-name', listed.slug];
  const found = await Promise.all([...refs, ...refs, ...refs].map((ref) => readBadge(ref)));
  const titles = found.map(({ text }) => /<title id="t">(.+?)</.exec(text)?.[1]);
  const [yes, no] = ['Listed on Gatehouse', 'Not listed'];
  t.deepEqual(titles.slice(0, 6), [yes, no, no, yes, yes, yes]);
  t.deepEqual(titles.slice(6, 12), titles.slice(0, 6));
  t.is(found[2]!.status, 404);
});

/** WCAG's contrast of two colours. */
function contrast(one: string, two: string): number {
  const light = (colour: string) =>
    [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * [0.212_6, 0.715_2, 0.072_2][index]!, 0);
  const [dark, bright] = [light(one), light(two)].toSorted((a, b) => a - b);
  return (bright! + 0.05) / (dark! + 0.05);
}

test('its words stand out from what is behind them, and it needs no style, script or other file', async (t) => {
  for (const state of ['listed', 'unlisted'] as const) {
    const { text } = await readBadge((await sell(state)).slug);
    const behind = [...text.matchAll(/<rect [^>]*fill="(#\w{6})"/g)].map(([, colour]) => colour!);
    t.is(behind.length, 2);
    for (const colour of behind) t.true(contrast('#ffffff', colour) >= 4.5, colour);
    t.notRegex(text, /style|script|href|http:(?!\/\/www\.w3\.org)/);
  }
});

test.serial('badges are limited per address', async (t) => {
  const strict = await startApi({ limits: { badge: 1 } });
  const { slug } = await strict.seed.product();
  const [row] = await strict.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await strict.test.advance((row!.left + 1) * 1_000);
  t.is((await strict.request(`/p/${slug}/badge`)).status, 200);
  const refused = await strict.request(`/p/${slug}/badge`);
  t.is(refused.status, 429);
  t.truthy(refused.headers.get('retry-after'));
  await strict.close();
});

test('with ?seal=1 the badge says that the product holds the seal, and changes with it', async (t) => {
  const { id, slug } = await sell('listed');
  const plain = await readBadge(slug);
  const sealed = async (query = '?seal=1', init?: RequestInit) => {
    const response = await api.request(`/p/${slug}/badge${query}`, init);
    const { status, headers } = response;
    return { status, etag: headers.get('etag')!, headers, text: await response.text() };
  };
  const without = await sealed();
  t.is(without.text, plain.text, 'without the seal it is the plain badge');
  await holdSeal(api.test, { productId: id });
  const held = await sealed();
  t.is(held.status, 200);
  t.regex(held.text, /<title id="t">Listed on Gatehouse, with the quality seal<\/title>/);
  t.regex(held.text, />Quality seal</);
  t.is(held.headers.get('cache-control'), 'no-cache');
  t.not(held.etag, without.etag);
  t.is((await sealed('?seal=1', { headers: { 'if-none-match': held.etag } })).status, 304);
  t.is((await sealed('?seal=1', { headers: { 'if-none-match': without.etag } })).status, 200);

  const again = await readBadge(slug);
  t.is(again.text, plain.text, 'the plain badge stays byte for byte as it is');
  t.is(again.headers.get('etag'), plain.headers.get('etag'));
  for (const query of ['?seal=0', '?seal=', '?seal=1&seal=1', '?seal=true', '?other=1']) {
    const other = await sealed(query);
    t.is(other.status, 200, query);
    t.is(other.text, plain.text, query);
  }

  await api.test.query(`update product set state = 'unlisted' where id = $1`, [id]);
  t.regex((await sealed()).text, /<title id="t">Not listed<\/title>/);
  t.is((await api.request('/p/never-was/badge?seal=1')).status, 404);
});
