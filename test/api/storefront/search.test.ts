import test from 'ava';
import { Product } from '../../../domain/catalog/product.entity.ts';
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

test.serial('every page of the store has the search', async (t) => {
  t.regex(
    (await read('/member')).text,
    /<form class="store-search" method="get" action="\/search">/,
  );
});

test.serial('the words that were searched for are marked in the tagline', async (t) => {
  const product = await api.seed.product({ owner, name: 'Abacus' });
  const tagline = 'Sums (and more) <fast>.';
  await api.database.em().nativeUpdate(Product, { id: product.id }, { tagline });
  const { text } = await read(`/search?q=${encodeURIComponent('SUMS (and <fast>')}`);
  t.true(text.includes('<mark>Sums</mark> <mark>(and</mark> more) <mark>&lt;fast&gt;</mark>.'));
});
