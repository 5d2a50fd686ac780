import test from 'ava';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
const owner = await api.seed.person({ isBuilder: true });
const browser = api.browser();
await browser.signIn(owner);
test.after.always(() => api.close());

const read = async (slug: string, query = '') => {
  const response = await browser.get(`/console/products/${slug}/share${query}`);
  const text = await response.text();
  const copied = [...text.matchAll(/<code class="id" id="([^"]+)"\s*>([^<]*)<\/code>/g)];
  const texts = Object.fromEntries(
    copied.map(([, id, shown]) => [
      id!,
      shown!
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#34;', '"'),
    ]),
  );
  return { text, texts, status: response.status, headers: response.headers };
};

test('the buy link of each currency, the badge, the store address and the ids are shown', async (t) => {
  const product = await api.seed.product({ owner, prices: { USD: 1_250, EUR: 1_100 } });
  const { texts, headers, text } = await read(product.slug);
  const { baseUrl } = api.config;
  t.is(texts[`buy-${product.offerId}-USD`], `${baseUrl}/buy/${product.slug}`);
  t.is(texts[`buy-${product.offerId}-EUR`], `${baseUrl}/buy/${product.slug}?currency=EUR`);
  t.is(texts[`offer-${product.offerId}`], product.offerId);
  t.is(texts['product-id'], product.id);
  t.is(texts['store-address'], `${baseUrl}/p/${product.slug}`);
  const page = `${baseUrl}/p/${product.slug}`;
  t.is(
    texts['badge-html'],
    `<a href="${page}"><img src="${page}/badge" alt="Listed on Gatehouse" width="142" height="28"></a>`,
  );
  t.regex(headers.get('content-security-policy')!, /script-src 'self'/);
  t.is([...text.matchAll(/<button[^>]*data-copy="[^"]+"[^>]*\shidden\s*>/g)].length, 6);
});

test('a source is put into each link, and its campaign is told', async (t) => {
  const product = await api.seed.product({ owner, prices: { USD: 1_250, EUR: 1_100 } });
  const src = 'Newsletter May & "more"';
  const { texts, text } = await read(product.slug, `?src=${encodeURIComponent(src)}`);
  const link = new URL(texts[`buy-${product.offerId}-EUR`]!);
  t.is(link.searchParams.get('src'), src);
  t.is(link.searchParams.get('currency'), 'EUR');
  t.regex(text, /newsletter-may-more/);
  t.regex(text, /value="Newsletter May &amp; &#?\w+;more/);
  for (const query of ['?src=', '?src=a&src=b', `?src=${'x'.repeat(4_000)}`, '?src=%00']) {
    t.is((await read(product.slug, query)).status, 200, query);
  }
});

test('a return address within a registered origin is put into each link; another is left out, and said', async (t) => {
  const product = await api.seed.product({ owner, prices: { USD: 1_250, EUR: 1_100 } });
  const id = `buy-${product.offerId}-USD`;
  const asked = (address: string) =>
    read(product.slug, `?return_to=${encodeURIComponent(address)}`);
  const returnOf = (link: string) => new URL(link).searchParams.get('return_to');
  t.regex((await asked('')).text, /None is\s+registered yet/);
  await api.seed.client({ product, redirectUris: ['https://app.example/cb', 'my.app:/cb'] });
  const good = await asked('https://app.example/thanks?a=b&c=d');
  t.is(returnOf(good.texts[id]!), 'https://app.example/thanks?a=b&c=d');
  t.is(returnOf(good.texts[`buy-${product.offerId}-EUR`]!), 'https://app.example/thanks?a=b&c=d');
  t.notRegex(good.text, /leave the return address out/);
  t.regex(good.text, /Registered origins: <code class="id">https:\/\/app\.example<\/code>/);
  const bad = [
    'https://elsewhere.example/',
    'app.example',
    'javascript:alert(1)',
    `https://app.example/${'x'.repeat(1_100)}`,
  ];
  for (const address of bad) {
    const { texts, text } = await asked(address);
    t.is(returnOf(texts[id]!), null, address);
    t.regex(text, /role="alert" data-return[^>]*>\s+The links below leave the return address out/);
  }
  for (const query of [
    '?return_to=a&return_to=b',
    '?return_to=%00',
    `?return_to=${'x'.repeat(9_000)}`,
  ]) {
    t.is((await read(product.slug, query)).status, 200, query);
  }
});

test('a product without prices, or sold elsewhere, has no buy link', async (t) => {
  const free = await api.seed.product({ owner, prices: {}, state: 'draft' });
  t.regex((await read(free.slug)).text, /No prices yet/);
  t.regex((await read(free.slug)).text, /once the product is listed/);
  const elsewhere = await api.seed.product({ owner, delivery: 'affiliate' });
  t.regex((await read(elsewhere.slug)).text, /sold elsewhere/);
});

test('the page is for people with a role in the product', async (t) => {
  const product = await api.seed.product();
  t.is((await read(product.slug)).status, 404);
});
