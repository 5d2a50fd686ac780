import test from 'ava';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { indexProducts } from '../../../domain/catalog/search/index-products.repository.ts';
import { rows } from '../../../platform/database/database.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
const owner = await api.seed.person({ isBuilder: true });
test.after.always(() => api.close());

const read = async (path: string) => {
  const response = await api.request(path);
  const text = await response.text();
  const [list = ''] = /<main[\s\S]*<\/main>/.exec(text) ?? [];
  return {
    status: response.status,
    location: response.headers.get('location'),
    text,
    slugs: [...list.matchAll(/href="\/p\/([\w-]+)"/g)].map(([, slug]) => slug!),
    next: /href="([^"]+)" rel="next"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? null,
  };
};

const search = (q: string) => read(`/search?q=${encodeURIComponent(q)}`);

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

/** Changes rows as a command would, and what the search reads of them. */
async function change(id: string, product: Partial<{ tagline: string; listedAt: Date }>) {
  const em = api.database.em();
  await em.nativeUpdate(Product, { id }, product);
  await indexProducts(em, [id]);
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
    await change(product.id, {
      listedAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(number / 10))),
    });
    if (number < 49) made.push(product.slug);
  }
});

test.serial(
  'an empty search lists 24 products a page, and each product on one of them',
  async (t) => {
    const first = await read('/search');
    t.is(first.slugs.length, 24);
    t.is(first.next, '/search?page=2');
    t.deepEqual((await readAll('/search')).toSorted(), made.toSorted());
    t.deepEqual((await read('/search?q=')).slugs, first.slugs);
  },
);

test.serial('the same holds of the products that Member includes', async (t) => {
  t.is((await read('/member')).slugs.length, 24);
  const included = made.filter((_, number) => number % 2 === 0).toSorted();
  t.deepEqual((await readAll('/member')).toSorted(), included);
  t.deepEqual((await readAll('/search?included=1')).toSorted(), included);
});

test.serial(
  'the search finds words in any order and case, the last by its beginning',
  async (t) => {
    const { id } = await api.seed.product({ owner, name: 'Pocket Synth', slug: 'pocket-synth' });
    for (const q of [
      'synth',
      'POCKET',
      'synth pocket',
      'thing synth well',
      '  pocket   synth ',
      'póck',
      'well pock',
    ]) {
      t.deepEqual((await search(q)).slugs, ['pocket-synth'], q);
    }
    t.deepEqual((await readAll('/search?q=tide')).toSorted(), made.toSorted());
    t.is((await read('/search?q=tide')).next, '/search?q=tide&page=2');
    await changeState(api.database.em(), id, 'unlist');
    t.deepEqual((await search('pocket')).slugs, [], 'unlisted: gone at once');
  },
);

test.serial(
  'all words in the name come first, then in tagline or tags, then elsewhere',
  async (t) => {
    const described = await api.seed.product({ owner, name: 'Third', slug: 'third' });
    await api.test.query(
      `update listing set description = 'It weighs and measures lanterns for people who read at night.' where product_id = $1`,
      [described.id],
    );
    await change(described.id, {});
    const lined = await api.seed.product({ owner, name: 'Second', slug: 'second' });
    await change(lined.id, { tagline: 'A lanterns catalogue.' });
    await api.seed.product({ owner, name: 'My lanterns', slug: 'first' });
    await api.seed.product({ owner, name: 'LANTERNS', slug: 'exact' });
    t.deepEqual((await search('lanterns')).slugs, ['exact', 'first', 'second', 'third']);
    t.is((await search('lantern measuring')).slugs[0], 'third', 'English stems');
  },
);

test.serial('under five hits names that are nearly the same are shown, and marked', async (t) => {
  await api.seed.product({ owner, name: 'Paper Trail', slug: 'paper-trail' });
  const { slugs, text } = await search('papr trial');
  t.deepEqual(slugs, ['paper-trail']);
  t.regex(text, /<span class="pill line[^"]*"[^>]*>Similar</);
  t.notRegex((await search('paper trail')).text, />Similar</);
});

test.serial('what stands for other characters in a pattern stands for itself', async (t) => {
  for (const q of [
    '%',
    '_',
    '\\',
    "'",
    '&',
    "a' | 'b",
    ':*',
    '!',
    '\u{1f600}',
    '\ud800',
    'zzqx\0',
  ]) {
    const { status, slugs } = await search(q.toWellFormed());
    t.is(status, 200, q);
    t.deepEqual(slugs, [], q);
  }
  t.deepEqual((await read('/search?q=%00')).slugs.length, 24);
});

test.serial('a name without any letter is found when it is typed in full', async (t) => {
  await api.seed.product({ owner, name: '++', slug: 'plus' });
  t.deepEqual((await search('++')).slugs, ['plus']);
});

test.serial(
  'a search of nonsense shows that nothing matches, a long one that it was cut',
  async (t) => {
    const { text, status } = await search('x'.repeat(5_000));
    t.is(status, 200);
    t.regex(text, /No products match/);
    t.regex(text, /cut after 200 characters/);
    t.regex((await search('a b c d e f g h i')).text, /first 8 words/);
    t.true((await search('<b>')).text.includes('&lt;b&gt;'));
  },
);

test.serial('of a repeated parameter the first counts, and the page says so', async (t) => {
  const { status, text } = await read('/search?q=synth&q=b');
  t.is(status, 200);
  t.regex(text, /Only the first value counts of: q\./);
  t.true(text.includes('“synth”'));
});

test.serial('unknown filters are a notice', async (t) => {
  for (const query of ['category=cars', 'platform=amiga', 'included=yes', 'sealed=2']) {
    const { status, text, slugs } = await read(`/search?${query}`);
    t.is(status, 200, query);
    t.is(slugs.length, 24, query);
    t.regex(text, /There is no such|A filter is on as 1/, query);
  }
});

test.serial('a page outside of 1 to 40 leads to the nearest', async (t) => {
  for (const [page, location] of [
    ['0', '/search?q=tide'],
    ['-3', '/search?q=tide'],
    ['x', '/search?q=tide'],
    ['41', '/search?q=tide&page=40'],
    ['99999999999999999999', '/search?q=tide&page=40'],
    ['1e1', '/search?q=tide'],
    ['0x10', '/search?q=tide'],
    ['2.5', '/search?q=tide'],
  ]) {
    const { status, location: to } = await read(`/search?q=tide&page=${page}`);
    t.is(status, 303, page);
    t.is(to, location!);
  }
  const { slugs, text } = await read('/search?q=tide&page=40');
  t.deepEqual(slugs, []);
  t.regex(text, /This page is empty/);
  t.true(text.includes('href="/search?q=tide"'));
});

test.serial(
  'a page that leads to another one keeps what the other notices are about',
  async (t) => {
    const { location: to } = await read('/search?q=tide&q=b&category=cars&page=99&sealed=2');
    t.is(to, '/search?q=tide&q=b&category=cars&page=40&sealed=2');
    const { text } = await read(to!);
    t.regex(text, /Only the first value counts of: q\./);
    t.regex(text, /There is no such category/);
  },
);

test.serial('filters narrow a search, and each can be taken away', async (t) => {
  const { id } = await api.seed.product({ owner, name: 'Tide Game', slug: 'tide-game' });
  await api.test.query(
    `update listing set category = 'games', platforms = '{ios,web}' where product_id = $1`,
    [id],
  );
  await change(id, {});
  const { slugs, text } = await read('/search?q=tide&category=games&platform=ios');
  t.deepEqual(slugs, ['tide-game']);
  t.true(text.includes('href="/search?q=tide&amp;platform=ios"'));
  t.deepEqual((await read('/search?q=tide&category=games&platform=cli')).slugs, []);
});

test.serial('search engines leave results out', async (t) => {
  t.regex((await search('tide')).text, /<meta name="robots" content="noindex" \/>/);
});

test.serial('a search that takes too long is a page that asks for fewer words', async (t) => {
  const response = await api.database.transaction(async (em) => {
    await rows(em, 'lock table product_search in access exclusive mode');
    return api.request('/search?q=tide');
  });
  t.is(response.status, 503);
  t.truthy(response.headers.get('retry-after'));
  t.regex(await response.text(), /Try fewer words/);
});

test.serial('every page of the store has the search', async (t) => {
  t.regex(
    (await read('/member')).text,
    /<form class="store-search" method="get" action="\/search">/,
  );
});

test.serial('the words that were searched for are marked in the tagline', async (t) => {
  const product = await api.seed.product({ owner, name: 'Abacus' });
  await change(product.id, { tagline: 'Sums (and more) <fast>.' });
  const { text } = await search('SUMS (and <fast>');
  t.true(text.includes('<mark>Sums</mark> <mark>(and</mark> more) <mark>&lt;fast&gt;</mark>.'));
});
