import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { closeActivationsOfExcluded } from '../../../../domain/entitlements/memberships/activated-products.repository.ts';
import { createMemberships } from '../../../support/subscriptions/memberships.ts';
import { teams, builder } from './scene.ts';

const { api } = teams;
const { browser, person: owner } = builder;
const stories = createMemberships({ testDatabase: api.test, database: api.database });

type Browser = ReturnType<typeof api.browser>;
type Product = { id: string; slug: string };

const pathOf = ({ slug }: Product) => `/console/products/${slug}/selling`;
const change = (by: Browser, product: Product, action: string) =>
  by.submit('/console/roles', { action: `${pathOf(product)}/member`, fields: { action } });
const isIncluded = async ({ id }: Product) =>
  (
    await api.test.query<{ is: boolean }>(
      'select included_with_member as is from product where id = $1',
      [id],
    )
  )[0]!.is;
const auditEntriesOf = async ({ id }: Product) =>
  (
    await api.test.query<{ action: string }>(
      `select action from audit where product_id = $1 and action like 'product.%cluded'
       order by at, id`,
      [id],
    )
  ).map(({ action }) => action);

async function withTeam(state: 'draft' | 'listed' = 'listed') {
  const team = await teams.team(['admin']);
  const product = await teams.productOf(team, { state });
  return { ...team.members, product };
}

const check = async (product: { liveKey: string }, personId: string) => {
  const answer = await api.request(`/api/v1/entitlements?user_id=${personId}`, {
    headers: { authorization: `Bearer ${product.liveKey}` },
  });
  return (await answer.json()) as Record<string, unknown>;
};

test('an owner or admin includes a product with Member and takes it out, each once and in the trail', async (t) => {
  const { owner, admin, product } = await withTeam();
  const page = async () => (await owner.browser.get(pathOf(product))).text();
  t.regex(await page(), /data-included="false"[^]*Include with Member/);
  t.is(noticeOf(await change(admin.browser, product, 'include')), 'product_included');
  t.is(noticeOf(await change(owner.browser, product, 'include')), 'unchanged');
  t.true(await isIncluded(product));
  t.regex(await page(), /data-included="true"[^]*Remove from Member/);
  t.is(noticeOf(await change(owner.browser, product, 'exclude')), 'product_excluded');
  t.is(noticeOf(await change(admin.browser, product, 'exclude')), 'unchanged');
  t.false(await isIncluded(product));
  t.deepEqual(await auditEntriesOf(product), ['product.included', 'product.excluded']);
  t.is((await change(owner.browser, product, 'something')).status, 400);
});

test('included, every member may use it at once; taken out, those who opened it are told', async (t) => {
  const { owner, product } = await withTeam();
  const [member, other] = [await stories.subscribe(), await stories.subscribe()];
  t.false((await check(product, member.personId))['active']);
  await change(owner.browser, product, 'include');
  t.like(await check(product, member.personId), { active: true, type: 'member' });
  t.true(await stories.open(member, product.id));
  t.regex(await (await owner.browser.get(pathOf(product))).text(), /data-members="1"/);
  await change(owner.browser, product, 'exclude');
  for (const { personId } of [member, other]) {
    t.false((await check(product, personId))['active']);
  }
  while ((await api.database.transaction(closeActivationsOfExcluded)) > 0);
  const names = (await stories.told(product.id)).map(({ name }) => name);
  t.deepEqual(names, ['entitlement.created', 'entitlement.canceled']);
});

test('what was bought stays when the product is taken out of Member', async (t) => {
  const { owner, product } = await withTeam();
  await change(owner.browser, product, 'include');
  const member = await stories.subscribe();
  await api.seed.grant({ productId: product.id, personId: member.personId });
  await stories.open(member, product.id);
  await change(owner.browser, product, 'exclude');
  while ((await api.database.transaction(closeActivationsOfExcluded)) > 0);
  t.like(await check(product, member.personId), { active: true, type: 'purchase' });
  const names = (await stories.told(product.id)).map(({ name }) => name);
  t.false(names.includes('entitlement.canceled'));
});

test('of many clicks at once one switches', async (t) => {
  const { owner, product } = await withTeam();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => change(owner.browser, product, 'include')),
  );
  const notices = answers.map(noticeOf).toSorted();
  t.deepEqual(notices, ['product_included', ...Array.from({ length: 7 }, () => 'unchanged')]);
  t.deepEqual(await auditEntriesOf(product), ['product.included']);
});

test('including and removing at once never leave a removed product Included', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, product } = await withTeam();
    await Promise.all([
      change(owner.browser, product, 'include'),
      owner.browser.submit('/console/roles', {
        action: `/console/products/${product.slug}/remove`,
        fields: { slug: product.slug },
      }),
    ]);
    t.false(await isIncluded(product));
  }
});

test('a product that is sold elsewhere is never Included, and one that is Included is delivered here', async (t) => {
  const { owner, product } = await withTeam('draft');
  const save = (delivery: string) =>
    owner.browser.submit('/console/roles', {
      action: `/console/products/${product.slug}/listing`,
      fields: { name: 'P', tagline: 'T.', delivery, version: '1' },
    });
  for (const table of ['api_key', 'offer']) {
    const column = table === 'api_key' ? 'revoked_at' : 'retired_at';
    await api.test.query(`update ${table} set ${column} = now() where product_id = $1`, [
      product.id,
    ]);
  }
  await change(owner.browser, product, 'include');
  t.is((await save('affiliate')).status, 422);
  await change(owner.browser, product, 'exclude');
  t.is((await save('affiliate')).status, 303);
  t.is(noticeOf(await change(owner.browser, product, 'include')), 'unchanged');
  t.notRegex(await (await owner.browser.get(pathOf(product))).text(), /id="member"/);
});

test('a builder who is not verified, and an operator, are told who may', async (t) => {
  const { browser, person } = await teams.signedIn();
  const product = await api.seed.product({ owner: person });
  const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
  for (const by of [browser, operator.browser]) {
    t.is((await change(by, product, 'include')).status, 403);
    t.regex(await (await by.get(pathOf(product))).text(), /include products with Member/);
  }
  t.false(await isIncluded(product));
});

const read = async (slug: string, query = '') => {
  const response = await browser.get(`/console/products/${slug}/share${query}`);
  const text = await response.text();
  const copied = [...text.matchAll(/<code class="id" id="([^"]+)"\s*>([^]*?)<\/code>/g)];
  const texts = Object.fromEntries(
    copied.map(([, id, shown]) => [
      id!,
      shown!
        .replaceAll(/<[^>]*>/g, '')
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
  const other = await read(product.slug, `?src=${encodeURIComponent('春の便り')}`);
  t.regex(
    other.text,
    /<p data-campaign>\s*Each purchase shows <code class="id">春の便り<\/code> as it is/,
  );
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
    t.regex(
      text,
      /role="alert"\s+data-return[^>]*>\s+The links below leave the return address out/,
    );
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
