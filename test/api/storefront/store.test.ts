import test from 'ava';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { BUY_SENTENCES } from '../../../api/storefront/buy-box.ts';
import { holdSeal } from '../../support/catalog/seals.ts';
import { readText } from '../../support/pages/read-page.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
const owner = await api.seed.person({ isBuilder: true });
await api.seed.payoutAccount(owner, { account: 'acct_x' });
const prices = { USD: 1_250, BRL: 5_900 };
const product = await api.seed.product({ owner, slug: 'synth', oldSlugs: ['old-synth'], prices });
test.after.always(() => api.close());

const read = async (path: string) => {
  const response = await api.request(path);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

test.serial('the store shows what is listed, and says that payments are simulated', async (t) => {
  const unlisted = await api.seed.product({ state: 'unlisted' });
  const draft = await api.seed.product({ state: 'draft' });
  const { text } = await read('/');
  t.true(text.includes('href="/p/synth"'));
  t.false(text.includes(unlisted.slug) || text.includes(draft.slug));
  t.regex(text, /Payments are simulated/);
});

const rowOf = async (slug: string) => {
  const { text } = await read('/search');
  const rows = text.split('<div class="product-row');
  const row = rows.find((each) => each.includes(`href="/p/${slug}"`)) ?? '';
  return row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
};

test('a row of the store shows the price that the page would ask first, and Member', async (t) => {
  t.regex(await rowOf('synth'), / Person \S+ Utilities 12\.50 USD once /);
  const { slug, offerId } = await api.seed.product({
    owner,
    slug: 'both-ways',
    prices: { EUR: 9_900, USD: 100 },
    includedWithMember: true,
  });
  t.regex(await rowOf(slug), / Person \S+ Utilities Member 99\.00 EUR once /);
  const monthly = await api.test.query<{ id: string }>(
    `with made as (insert into offer (id, product_id, kind)
       select gen_random_uuid(), product_id, 'monthly' from offer where id = $1 returning id)
     insert into price (id, offer_id, currency, amount_minor, is_base)
     select gen_random_uuid(), id, 'EUR', 900, true from made returning id`,
    [offerId],
  );
  t.regex(await rowOf(slug), / Person \S+ Utilities Member 99\.00 EUR once /);
  t.notRegex(await rowOf(slug), /From|month/);
  await api.test.query('update price set retired_at = gatehouse_now() where id = $1', [
    monthly[0]!.id,
  ]);
  t.regex(await rowOf(slug), / Member 99\.00 EUR once/);
});

test('a row of a product without a price, or sold elsewhere, names none', async (t) => {
  const free = await api.seed.product({ owner, prices: {} });
  t.notRegex(await rowOf(free.slug), /\d\.\d\d|Member/);
  const elsewhere = await api.seed.product({ owner, delivery: 'external_store' });
  t.regex(await rowOf(elsewhere.slug), / Person \S+ Utilities Sold elsewhere /);
});

test('a product page shows the price of each currency and the buy link', async (t) => {
  const { status, text } = await read('/p/synth');
  t.is(status, 200);
  t.regex(text, /12\.50 USD/);
  t.true(text.includes('href="/buy/synth?src=store"'));
  t.regex(text, /59\.00 BRL/);
  t.true(text.includes('href="/buy/synth?src=store&amp;currency=BRL"'));
});

test('a product page describes itself to search engines', async (t) => {
  t.regex(
    (await read('/p/synth')).text,
    /<meta name="description" content="Does one thing well\." \/>/,
  );
});

test('the UUID names the product too, an old slug redirects for ever', async (t) => {
  t.is((await read(`/p/${product.id}`)).status, 200);
  const { status, headers } = await read('/p/old-synth?reason=already_owned');
  t.is(status, 301);
  t.is(headers.get('location'), '/p/synth?reason=already_owned');
});

test('each reason stands on the page as a sentence and as data; unknown codes are ignored', async (t) => {
  for (const [reason, sentence] of Object.entries(BUY_SENTENCES)) {
    const { text } = await read(`/p/synth?reason=${reason}`);
    t.true(text.includes(`data-reason="${reason}"`));
    t.true(text.includes(sentence));
  }
  for (const query of ['reason=x', 'reason=%3Cb%3E', 'reason=toString', 'reason=a&reason=b']) {
    const { status, text } = await read(`/p/synth?${query}`);
    t.is(status, 200);
    t.false(text.includes('data-reason'));
  }
});

test('an unlisted product shows its page without a buy button', async (t) => {
  const { slug } = await api.seed.product({ owner, state: 'unlisted' });
  const { status, text } = await read(`/p/${slug}`);
  t.is(status, 200);
  t.false(text.includes('/buy/'));
});

test('a product page says how buying here works only where one can buy', async (t) => {
  t.regex((await read('/p/synth')).text, /When you buy here/);
  for (const given of [
    { delivery: 'external_store' },
    { delivery: 'affiliate' },
    { state: 'unlisted' },
    { prices: {} },
  ] as const) {
    const { slug } = await api.seed.product({ owner, ...given });
    t.notRegex((await read(`/p/${slug}`)).text, /When you buy here/, JSON.stringify(given));
  }
});

test('draft and removed products are 404 to all but their builder', async (t) => {
  const builder = api.browser();
  await builder.signIn(owner);
  for (const state of ['draft', 'removed'] as const) {
    const { slug } = await api.seed.product({ owner, state });
    t.is((await read(`/p/${slug}`)).status, 404);
    const own = await builder.get(`/p/${slug}`);
    t.is(own.status, 200);
    t.false((await own.text()).includes('/buy/'));
  }
});

test('unknown and unreadable references are 404', async (t) => {
  for (const ref of ['never-was', 'ab', 'NEVER', '%00', "'--", 'x'.repeat(2_000)]) {
    t.is((await read(`/p/${ref}`)).status, 404, ref);
  }
});

test('styles are served from here, and nothing that is not listed', async (t) => {
  const { headers } = await read('/assets/store.css');
  t.is(headers.get('content-type'), 'text/css; charset=utf-8');
  t.is((await read('/assets/base.css')).status, 200);
  for (const path of [
    '/assets/pico.min.css',
    '/assets/..%2f..%2fpackage.json',
    '/assets/',
    '/assets',
  ]) {
    t.is((await read(path)).status, 404, path);
  }
});

test('a page for nobody in particular may be kept, and is asked for again each time', async (t) => {
  const { slug, id } = await api.seed.product({
    owner: await api.seed.person({ isBuilder: true }),
  });
  // Others that are listed meanwhile change the page of their category alone.
  await api.test.query(`update listing set category = 'news' where product_id = $1`, [id]);
  const { headers } = await read(`/p/${slug}`);
  t.is(headers.get('cache-control'), 'no-cache');
  t.regex(headers.get('vary')!, /\bcookie\b/);
  const etag = headers.get('etag')!;
  const again = () => api.request(`/p/${slug}`, { headers: { 'if-none-match': etag } });
  t.is((await again()).status, 304);
  await api.database.em().nativeUpdate(Product, { id }, { state: 'unlisted' });
  const changed = await again();
  t.is(changed.status, 200);
  t.false((await changed.text()).includes('/buy/'));
});

test('the page of somebody who is signed in is kept nowhere', async (t) => {
  const browser = api.browser();
  await browser.signIn(owner);
  const { headers } = await browser.get('/p/synth');
  t.is(headers.get('cache-control'), 'no-store');
  t.is(headers.get('etag'), null);
});

test('a product that is sold elsewhere says so, whatever else it lacks here', async (t) => {
  const { slug } = await api.seed.product({ delivery: 'external_store', prices: {} });
  const { text } = await read(`/p/${slug}`);
  t.true(text.includes(BUY_SENTENCES.not_sold_here));
  t.false(text.includes(BUY_SENTENCES.no_active_price));
});

test('the page and the card of a product show the seal that it holds, under notice too', async (t) => {
  const [sealed, noticed, lost] = await Promise.all(
    [1, 2, 3].map(() => api.seed.product({ owner })),
  );
  await holdSeal(api.test, { productId: sealed!.id });
  await holdSeal(api.test, { productId: noticed!.id, isNoticed: true });
  await api.test.query(
    `insert into seal (product_id, state, loss_reason, lost_at) values ($1, 'lost', 'review', now())`,
    [lost!.id],
  );
  for (const [{ slug, name }, isShown] of [
    [sealed!, true],
    [noticed!, true],
    [lost!, false],
    [product, false],
  ] as const) {
    t.is((await read(`/p/${slug}`)).text.includes('data-seal'), isShown, slug);
    const { text } = await read(`/search?q=${name}`);
    const [, card] = new RegExp(`<a href="/p/${slug}">([^]*?)data-price`).exec(text)!;
    t.is(card!.includes('data-seal'), isShown, slug);
  }
});

test('the page of a product is found in capitals and with a slash behind it', async (t) => {
  for (const path of ['/p/Synth', '/p/synth/', '/p/SYNTH/', '/p/Old-Synth', '/p/s%79nth']) {
    const response = await api.request(`${path}?reason=not_listed`);
    t.is(response.status, 301, path);
    t.is(response.headers.get('location'), '/p/synth?reason=not_listed');
  }
  const byId = await api.request(`/p/${product.id.toUpperCase()}/`);
  t.is(byId.headers.get('location'), `/p/${product.id}`);
  t.is((await read('/p/synth')).status, 200);
});

test('the page promises neither taxes nor for ever: one payment, no renewal', async (t) => {
  const { text } = await read('/p/synth');
  t.regex(text, /One payment\. No renewal\./);
  t.notRegex(text, /taxes|forever/);
});

test('a product with the seal shows what the latest passed review counted, another one nothing', async (t) => {
  const [sealed, lost] = [await api.seed.product({ owner }), await api.seed.product({ owner })];
  await holdSeal(api.test, { productId: sealed.id });
  await api.test.query(
    `insert into seal (product_id, state, loss_reason, lost_at) values ($1, 'lost', 'review', now())`,
    [lost.id],
  );
  const count = (name: string, number: number, of: number | null) => ({ name, count: number, of });
  for (const [week, people, isPassed] of [
    ['2026-01-05', 9, true],
    ['2026-01-12', 1_412, true],
    ['2026-01-19', 3, false],
  ] as const) {
    const criteria = [
      count('people', people, null),
      count('returning_people', 71, 100),
      count('refunds', 0, 0),
    ];
    await api.test.query(
      `insert into seal_review (product_id, week, is_passed, criteria, state)
       select id, $2, $4, $3, 'held' from unnest($1::uuid[]) id`,
      [[sealed.id, lost.id], week, JSON.stringify(criteria), isPassed],
    );
  }
  const text = readText((await read(`/p/${sealed.slug}`)).text);
  t.regex(text, /people used it 1,412 /);
  t.regex(text, /came back in another week 71 %/);
  t.notRegex(text, /were refunded/, 'of no charge there is no share');
  t.notRegex((await read(`/p/${lost.slug}`)).text, /came back/);
});

test('the list of products that people come back to says how many did', async (t) => {
  const maker = await api.seed.person({ isBuilder: true });
  const products: { id: string; slug: string }[] = [];
  for (let count = 0; count < 8; count += 1)
    products.push(await api.seed.product({ owner: maker }));
  const sealed = products.at(-1)!;
  await holdSeal(api.test, { productId: sealed.id });
  const criteria = [{ name: 'returning_people', count: 84, of: 100 }];
  await api.test.query(
    `insert into seal_review (product_id, week, is_passed, criteria, state)
     values ($1, '2026-01-12', true, $2, 'held')`,
    [sealed.id, JSON.stringify(criteria)],
  );
  const [, list = ''] = /<h2>People come back<\/h2>([^]*?)<\/section>/.exec(
    (await read('/')).text,
  )!;
  const [, row = ''] = new RegExp(`href="/p/${sealed.slug}"([^]*?)data-price`).exec(list)!;
  t.regex(readText(row), /84 % came back in another week/);
});

test("a product names the other listed products of its maker, and nobody else's", async (t) => {
  const maker = await api.seed.person({ isBuilder: true });
  const [shown, other, hidden] = [
    await api.seed.product({ owner: maker }),
    await api.seed.product({ owner: maker }),
    await api.seed.product({ owner: maker, state: 'unlisted' }),
  ];
  const { text } = await read(`/p/${shown.slug}`);
  const [, siblings] = /class="card maker"([^]*?)<\/section>/.exec(text)!;
  const slugs = [...siblings!.matchAll(/href="\/p\/([\w-]+)"/g)].map(([, slug]) => slug);
  t.deepEqual(slugs, [other.slug]);
  t.false(text.includes(hidden.slug));
});

const structuredDataOf = (text: string) =>
  JSON.parse(/<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text)?.[1] ?? 'null');

test('search engines read a listed product as JSON-LD, by its one address', async (t) => {
  const name = 'Odd </script><b> & "Sons"';
  const { slug, id } = await api.seed.product({ owner, name, prices: { USD: 1_250, EUR: 500 } });
  const { text } = await read(`/p/${id}`);
  const data = structuredDataOf(text);
  t.is(data['@type'], 'SoftwareApplication');
  t.is(data.name, name);
  t.true(data.url.endsWith(`/p/${slug}`));
  t.true(text.includes(`<link rel="canonical" href="${data.url}" />`));
  const offers = data.offers.map((offer: Record<string, string>) => [
    offer['price'],
    offer['priceCurrency'],
    offer['availability'],
  ]);
  const inStock = 'https://schema.org/InStock';
  t.deepEqual(offers, [
    ['12.50', 'USD', inStock],
    ['5.00', 'EUR', inStock],
  ]);
  t.false(text.includes('noindex'));
});

test('search engines leave out a product that is not listed', async (t) => {
  const { slug } = await api.seed.product({ owner, state: 'unlisted' });
  const { text } = await read(`/p/${slug}`);
  t.true(text.includes('<meta name="robots" content="noindex" />'));
  t.is(structuredDataOf(text), null);
});
