import test from 'ava';
import { setPrice } from '../../../../domain/catalog/prices/price.command.ts';
import { findOffering } from '../../../../domain/catalog/storefront-product.query.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { createSubscriptions } from '../../../support/subscriptions/subscriptions.ts';
import { teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;
type Slug = { slug: string };

async function builder(prices: Record<string, number> = {}) {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: person, state: 'draft', prices });
  return { browser, person, product };
}

const pathOf = ({ slug }: Slug) => `/console/products/${slug}/prices`;
const price = (by: Browser, product: Slug, currency: string, amount: string) =>
  by.submit('/console/roles', { action: pathOf(product), fields: { currency, amount } });
const change = (by: Browser, product: Slug, currency: string, action: string) =>
  by.submit('/console/roles', { action: `${pathOf(product)}/${currency}`, fields: { action } });
const pricesOf = (productId: string, which = 'r.retired_at is null') =>
  api.test.query<{ currency: string; amount: string; base: boolean }>(
    `select r.currency, r.amount_minor as amount, r.is_base as base
     from price r join offer o on o.id = r.offer_id
     where o.product_id = $1 and ${which} order by r.created_at, r.id`,
    [productId],
  );
const trailOf = (productId: string) =>
  api.test.query<{ action: string; subject: string; detail: object }>(
    'select action, subject, detail from audit where product_id = $1 order by at, id',
    [productId],
  );

test('the first price makes the one-time offer and is its base price; others are explicit', async (t) => {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const id = newUuid();
  await api.test.query(
    `insert into product (id, owner_person_id, name, tagline) values ($1, $2, 'P', 'T')`,
    [id, person.id],
  );
  await api.test.query('insert into product_slug (slug, product_id) values ($1, $2)', [
    'never-priced',
    id,
  ]);
  const product = { slug: 'never-priced' };
  t.is((await price(browser, product, 'usd', ' 12.50 ')).status, 303);
  t.is((await price(browser, product, 'Jpy', '2000')).status, 303);
  t.is((await price(browser, product, 'KWD', '3.120')).status, 303);
  t.deepEqual(await pricesOf(id), [
    { currency: 'USD', amount: '1250', base: true },
    { currency: 'JPY', amount: '2000', base: false },
    { currency: 'KWD', amount: '3120', base: false },
  ]);
  const page = await (await browser.get(pathOf(product))).text();
  for (const shown of ['12.50 <small>USD', '2,000 <small>JPY', '3.120 <small>KWD']) {
    t.true(page.includes(shown), shown);
  }
  t.like((await trailOf(id))[0], { action: 'price.set', subject: 'USD' });
});

test('a new price retires the old one, which is never edited', async (t) => {
  const { browser, product } = await builder({ USD: 1_250, EUR: 1_150 });
  t.is((await price(browser, product, 'USD', '15')).status, 303);
  t.is((await price(browser, product, 'USD', '15.00')).status, 303, 'the same again');
  t.deepEqual(await pricesOf(product.id, 'r.retired_at is not null'), [
    { currency: 'USD', amount: '1250', base: true },
  ]);
  t.deepEqual(await pricesOf(product.id, `r.retired_at is null and r.currency = 'USD'`), [
    { currency: 'USD', amount: '1500', base: true },
  ]);
  t.is((await trailOf(product.id)).length, 1);
  const edits = [
    `update price set amount_minor = 1 where offer_id = $1`,
    `update price set retired_at = null where offer_id = $1 and retired_at is not null`,
    `delete from price where offer_id = $1`,
  ];
  for (const edit of edits) {
    await t.throwsAsync(api.test.query(edit, [product.offerId]), { message: /never edited/ });
  }
});

test('another price becomes the base price, and there are never two', async (t) => {
  const { browser, product } = await builder({ USD: 1_250, EUR: 1_150 });
  t.is((await change(browser, product, 'eur', 'base')).status, 303);
  t.is((await change(browser, product, 'EUR', 'base')).status, 303, 'the same again');
  const active = await pricesOf(product.id);
  t.deepEqual(active.map(({ currency, amount, base }) => [currency, amount, base]).toSorted(), [
    ['EUR', '1150', true],
    ['USD', '1250', false],
  ]);
  const second = `insert into price (id, offer_id, currency, amount_minor, is_base)
    values (gen_random_uuid(), $1, 'GBP', 1, true)`;
  await t.throwsAsync(api.test.query(second, [product.offerId]), { message: /price_base/ });
  t.deepEqual(
    (await trailOf(product.id)).map(({ action, subject }) => [action, subject]),
    [['price.made_base', 'EUR']],
  );
});

test('of prices set at once in many currencies and in one, each is one version and one is the base', async (t) => {
  const { product, person } = await builder();
  const { id: productId } = product;
  const by = { personId: person.id, isOperator: false, isEmailVerified: true, ip: '192.0.2.1' };
  const wanted = ['USD', 'EUR', 'USD', 'GBP', 'USD', 'BRL'].map((currency, n) => ({
    productId,
    kind: 'one_time' as const,
    currency,
    amountMinor: 100 + n,
  }));
  await Promise.all(
    wanted.map((one) => api.database.transaction((em) => setPrice(em, { ...one, by }))),
  );
  const active = await pricesOf(productId);
  t.deepEqual(active.map(({ currency }) => currency).toSorted(), ['BRL', 'EUR', 'GBP', 'USD']);
  t.is(active.filter(({ base }) => base).length, 1);
  t.is((await pricesOf(productId, 'true')).length, 6);
});

test('a price that is refused leaves no offer behind', async (t) => {
  const { browser, product } = await builder();
  const path = pathOf(product);
  const fields = { kind: 'yearly', currency: 'XAF', amount: '100', action: 'withdraw' };
  for (const action of [path, `${path}/USD`]) {
    t.is((await browser.submit('/console/roles', { action, fields })).status, 422);
  }
  const offers = await api.test.query('select kind from offer where product_id = $1', [product.id]);
  t.deepEqual(offers, [{ kind: 'one_time' }]);
});

test('a product has monthly and yearly offers of their own; the first offer stays the default', async (t) => {
  const { browser, product } = await builder({ USD: 1_250 });
  const set = (kind: string, amount: string) =>
    browser.submit('/console/roles', {
      action: pathOf(product),
      fields: { kind, currency: 'USD', amount },
    });
  t.is((await set('monthly', '5')).status, 303);
  t.is((await set('yearly', '50')).status, 303);
  t.is((await set('weekly', '2')).status, 400);
  const active = await api.test.query(
    `select o.kind, o.is_default, r.amount_minor, r.is_base from price r join offer o on o.id = r.offer_id
     where o.product_id = $1 and r.retired_at is null order by r.amount_minor`,
    [product.id],
  );
  t.deepEqual(active, [
    { kind: 'monthly', is_default: false, amount_minor: '500', is_base: true },
    { kind: 'one_time', is_default: true, amount_minor: '1250', is_base: true },
    { kind: 'yearly', is_default: false, amount_minor: '5000', is_base: true },
  ]);
  const page = await (await browser.get(pathOf(product))).text();
  t.regex(page, /data-kind="monthly"/);
  const withdraw = { action: 'withdraw', kind: 'monthly' };
  const action = `${pathOf(product)}/USD`;
  t.is((await browser.submit('/console/roles', { action, fields: withdraw })).status, 303);
  t.deepEqual(
    (await pricesOf(product.id)).map(({ amount }) => amount),
    ['1250', '5000'],
  );
});

test('a new price of a subscription is for new subscribers: one that runs keeps its terms', async (t) => {
  const { browser, product } = await builder();
  const set = (amount: string) =>
    browser.submit('/console/roles', {
      action: pathOf(product),
      fields: { kind: 'monthly', currency: 'USD', amount },
    });
  await set('5');
  const stories = createSubscriptions({ testDatabase: api.test, database: api.database });
  await api.test.query(`update product set state = 'listed' where id = $1`, [product.id]);
  const offered = await findOffering(api.database.pool, product.slug);
  const { id: personId } = await api.seed.person();
  const [price] = offered!.prices;
  const sale = await stories.newSale({ personId, productId: product.id, price: price! });
  await set('7');
  await stories.settle(sale, { amountMinor: 500, subscriptionId: 'sim_kept_terms' });
  t.like(await stories.rowOf(sale), { status: 'active', amount_minor: '500' });
});

const REFUSED: [string, string, string][] = [
  ['USD', '0', 'amount'],
  ['USD', '-1', 'amount'],
  ['USD', '1.005', 'amount'],
  ['JPY', '100.5', 'amount'],
  ['KWD', '1.2345', 'amount'],
  ['USD', '9007199254740993', 'amount'],
  ['USD', '12,50', 'amount'],
  ['USD', 'NaN', 'amount'],
  ['USD', '', 'amount'],
  ['MGA', '57.50', 'amount'],
  ['KWD', '1.234', 'amount'],
  ['USD', '0.49', 'amount'],
  ['GBP', '0.29', 'amount'],
  ['JPY', '49', 'amount'],
  ['USD', '1000000.00', 'amount'],
  ['ABC', '1', 'currency'],
  ['XAU', '1', 'currency'],
  ['', '1', 'currency'],
  ['CHF', '1', 'currency'],
];

for (const [currency, amount, field] of REFUSED) {
  test(`"${amount}" in "${currency}" is refused in place, and nothing is written`, async (t) => {
    const { browser, product } = await builder();
    const response = await price(browser, product, currency, amount);
    t.is(response.status, 422);
    const page = await response.text();
    t.true(page.includes(`id="${field}-problem"`));
    t.deepEqual(await pricesOf(product.id, 'true'), []);
    t.deepEqual(await trailOf(product.id), []);
  });
}

test('a base price is withdrawn last, and not while the product is listed', async (t) => {
  const { browser, product } = await builder({ USD: 1_250, EUR: 1_150 });
  t.is((await change(browser, product, 'USD', 'withdraw')).status, 422);
  t.is((await change(browser, product, 'EUR', 'withdraw')).status, 303);
  t.is((await change(browser, product, 'EUR', 'withdraw')).status, 422);
  t.is((await change(browser, product, 'EUR', 'base')).status, 422);
  await api.test.query(`update product set state = 'listed' where id = $1`, [product.id]);
  t.is((await change(browser, product, 'USD', 'withdraw')).status, 422);
  await api.test.query(`update product set state = 'unlisted' where id = $1`, [product.id]);
  t.is((await change(browser, product, 'USD', 'withdraw')).status, 303);
  t.deepEqual(await pricesOf(product.id), []);
});

test('what is sold elsewhere has no prices here', async (t) => {
  const { browser, person } = await builder();
  const product = await api.seed.product({ owner: person, delivery: 'affiliate', prices: {} });
  const response = await price(browser, product, 'USD', '1');
  t.is(response.status, 422);
  t.regex(await response.text(), /sold elsewhere/);
});

test('a builder who is not verified sets no price, and is told why', async (t) => {
  const { browser, person } = await teams.signedIn();
  const product = await api.seed.product({ owner: person, prices: {} });
  const response = await price(browser, product, 'USD', '1');
  t.is(response.status, 422);
  t.regex(await response.text(), /once you are a verified maker/);
  t.deepEqual(await pricesOf(product.id), []);
});

test('fields that are missing, doubled or hold a NUL are 400', async (t) => {
  const { browser, product } = await builder();
  const send = (fields: Record<string, string | string[]>) =>
    browser.submit('/console/roles', { action: pathOf(product), fields });
  t.is((await send({ currency: 'USD' })).status, 400);
  t.is((await send({ currency: ['USD', 'EUR'], amount: '1' })).status, 400);
  t.is((await send({ currency: 'US\0', amount: '1' })).status, 400);
  t.is((await change(browser, product, 'USDX', 'base')).status, 400);
  t.is((await change(browser, product, 'USD', 'nonsense')).status, 400);
});

test('one editor is open: of the price that is chosen, else of a new one', async (t) => {
  const { browser, product } = await builder({ USD: 1_250, EUR: 1_150 });
  const read = async (query: string) => (await browser.get(pathOf(product) + query)).text();
  const editors = (page: string) => [...page.matchAll(/name="amount"\s+value="([^"]*)"/g)];
  const chosen = await read('?kind=one_time&currency=EUR');
  t.deepEqual(
    editors(chosen).map(([, amount]) => amount),
    ['11.50'],
  );
  t.regex(chosen, /Change 11\.50 EUR once/);
  t.regex(chosen, /value="base"[^]*value="withdraw"/);
  t.notRegex(await read('?kind=one_time&currency=USD'), /value="base"/);
  for (const query of ['', '?kind=monthly', '?kind=yearly&currency=EUR', '?kind=x&currency=%00']) {
    const page = await read(query);
    t.deepEqual(
      editors(page).map(([, amount]) => amount),
      [''],
      query,
    );
    t.notRegex(page, /value="withdraw"/, query);
  }
  t.regex(await read('?kind=monthly'), /value="monthly" checked/);
});
