import test from 'ava';
import { Price, Offer } from '../../../domain/catalog/offer.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { Purchase } from '../../../domain/billing/purchases/purchase.entity.ts';
import { pay } from '../../support/purchases/simulator.ts';
import type { SeedProduct } from '../../support/catalog/seed.ts';
import { buying } from './scene.ts';

const { api, sell, signedIn, checkoutsOf, purchasesOf, expectReason, expectCheckout, clicksOf } =
  buying;

test('who owns a product lands on already_owned, after signing in', async (t) => {
  const product = await sell();
  const { browser, person } = await signedIn();
  await browser.get(`/buy/${product.slug}`);
  await api.database.em().nativeUpdate(Purchase, { personId: person.id }, { status: 'clearing' });
  expectReason(t, await browser.get(`/buy/${product.slug}`), 'already_owned');
});

test('an email address is verified before buying', async (t) => {
  const product = await sell();
  const browser = api.browser();
  await browser.signIn(await api.seed.person({ isEmailVerified: false }));
  const response = await browser.get(`/buy/${product.slug}`);
  t.is(response.headers.get('location'), '/confirm-email');
  const step = await (await browser.get('/confirm-email')).text();
  t.true(step.includes(`Confirm your email to continue buying ${product.name}`));
  t.deepEqual(await purchasesOf(product), []);
});

test('two tabs share one checkout', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => browser.get(`/buy/${product.slug}`)),
  );
  const urls = new Set(responses.map((response) => expectCheckout(t, response)));
  t.is(urls.size, 1);
  t.is((await purchasesOf(product)).length, 1);
});

test('another currency replaces the open checkout: the old session takes no money any more', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  const first = expectCheckout(t, await browser.get(`/buy/${product.slug}`));
  const second = expectCheckout(t, await browser.get(`/buy/${product.slug}?currency=EUR`));
  t.not(first, second);
  t.is((await pay(first)).status, 409);
  const found = (await checkoutsOf(product)).map(({ status, currency }) => ({ status, currency }));
  t.deepEqual(found, [
    { status: 'replaced', currency: 'USD' },
    { status: 'open', currency: 'EUR' },
  ]);
});

test('a new price replaces the open checkout of the old one', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  expectCheckout(t, await browser.get(`/buy/${product.slug}`));
  const em = api.database.em();
  const { offerId } = product;
  await em.nativeUpdate(Price, { offerId, isBase: true }, { retiredAt: new Date() });
  const price = { id: newUuid(), offerId, currency: 'USD', amountMinor: 2_000, isBase: true };
  await em.insert(Price, price);
  const response = await browser.get(`/buy/${product.slug}`);
  t.regex(await (await fetch(expectCheckout(t, response))).text(), /20\.00 USD/);
});

test('who has paid already is sent to the purchase, not to pay again', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  const checkout = expectCheckout(t, await browser.get(`/buy/${product.slug}`));
  t.is((await pay(checkout)).status, 303);
  const again = await browser.get(`/buy/${product.slug}?currency=EUR`);
  const [purchase] = await purchasesOf(product);
  t.is(again.headers.get('location'), `/purchases/${String(purchase!['id'])}?returned=yes`);
});

test('tabs in several currencies at once leave one session that takes money', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  const responses = await Promise.all(
    ['USD', 'EUR', 'USD', 'EUR', 'USD', 'EUR'].map((currency) =>
      browser.get(`/buy/${product.slug}?currency=${currency}`),
    ),
  );
  for (const response of responses) expectCheckout(t, response);
  const open = await api.test.query(
    `select 1 from simulator.checkout_session s join checkout c on c.session_id = s.id
     where s.status = 'open' and c.product_id = $1`,
    [product.id],
  );
  t.is(open.length, 1);
  const payable = await api.test.query(
    `select 1 from simulator.checkout_session s join purchase p on p.id = s.metadata ->> 'purchase_id'
     where p.product_id = $1 and s.status = 'open' and s.id not in (
       select session_id from checkout where session_id is not null and status = 'open')`,
    [product.id],
  );
  t.deepEqual(payable, []);
});

test('an open checkout that is used again carries the tags of the link that was followed last', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  await browser.get(`/buy/${product.slug}`);
  await browser.get(`/buy/${product.slug}?src=Docs%20page`);
  const [purchase] = await purchasesOf(product);
  t.like(purchase, { service_source: 'docs', service_campaign: 'docs-page' });
});

type OfferOptions = { kind?: 'one_time' | 'monthly'; retiredAt?: Date };

async function addOffer(product: SeedProduct, { kind = 'one_time', retiredAt }: OfferOptions = {}) {
  const [offerId, em] = [newUuid(), api.database.em()];
  const offer = { id: offerId, productId: product.id, kind, isDefault: false };
  await em.insert(Offer, { ...offer, retiredAt: retiredAt ?? null });
  for (const [currency, amountMinor, isBase] of [
    ['USD', 9_900, true],
    ['EUR', 9_100, false],
  ] as const) {
    await em.insert(Price, { id: newUuid(), offerId, currency, amountMinor, isBase });
  }
  return offerId;
}

test('the buy link opens the default offer, offer=<id> another one', async (t) => {
  const product = await sell();
  const offerId = await addOffer(product);
  const { browser } = await signedIn();
  expectCheckout(t, await browser.get(`/buy/${product.slug}?offer=`));
  expectCheckout(t, await browser.get(`/buy/${product.slug}?offer=${offerId.toUpperCase()}`));
  expectCheckout(t, await browser.get(`/buy/${product.slug}?offer=${offerId}&currency=eur`));
  const opened = (await checkoutsOf(product)).map((row) => [row['offer_id'], row['amount_minor']]);
  t.deepEqual(opened, [
    [product.offerId, '1250'],
    [offerId, '9900'],
    [offerId, '9100'],
  ]);
});

test('a currency that the asked offer has no price in is currency_not_offered', async (t) => {
  const product = await sell();
  const offerId = await addOffer(product);
  const response = await api.request(`/buy/${product.slug}?offer=${offerId}&currency=BRL`);
  expectReason(t, response, 'currency_not_offered');
});

test('an offer that is unknown, retired, repeated or of another product is no active price', async (t) => {
  const [product, other] = [await sell(), await sell()];
  const retired = await addOffer(product, { retiredAt: new Date() });
  const { offerId } = product;
  for (const query of [
    `offer=${newUuid()}`,
    `offer=${other.offerId}`,
    `offer=${retired}`,
    `offer=${offerId}&offer=${offerId}`,
    'offer=x',
    'offer=%00',
  ]) {
    expectReason(t, await api.request(`/buy/${product.slug}?${query}`), 'no_active_price');
  }
  t.is((await clicksOf(product)).length, 6);
});

test('a monthly offer opens a checkout that makes a subscription on the terms of this moment', async (t) => {
  const product = await sell();
  const offerId = await addOffer(product, { kind: 'monthly' });
  const { browser, person } = await signedIn();
  expectCheckout(t, await browser.get(`/buy/${product.slug}?offer=${offerId}`));
  const made = await api.test.query(
    `select status, amount_minor, currency, billing_interval, processor_id
     from subscription where person_id = $1`,
    [person.id],
  );
  t.deepEqual(made, [
    {
      status: 'incomplete',
      amount_minor: '9900',
      currency: 'USD',
      billing_interval: 'month',
      processor_id: null,
    },
  ]);
});

test('a retired default offer is no active price', async (t) => {
  const product = await sell();
  await api.database.em().nativeUpdate(Offer, { id: product.offerId }, { retiredAt: new Date() });
  expectReason(t, await api.request(`/buy/${product.slug}`), 'no_active_price');
});

test('the asked offer is kept while the buyer signs in', async (t) => {
  const product = await sell();
  const offerId = await addOffer(product);
  const [browser, person] = [api.browser(), await api.seed.person()];
  await browser.get(`/buy/${product.slug}?offer=${offerId}`);
  const back = (await browser.signIn(person)).headers.get('location')!;
  expectCheckout(t, await browser.get(back));
  const [checkout] = await checkoutsOf(product);
  t.like(checkout, { offer_id: offerId, amount_minor: '9900' });
  t.is((await clicksOf(product)).length, 1);
});

test('the product page shows each offer with a button for each of its prices', async (t) => {
  const product = await sell();
  const offerId = await addOffer(product);
  await addOffer(product, { retiredAt: new Date() });
  const page = await (await api.request(`/p/${product.slug}`)).text();
  t.deepEqual(page.match(/data-offer="[^"]+"/g), [
    `data-offer="${product.offerId}"`,
    `data-offer="${offerId}"`,
  ]);
  t.true(
    page.includes(`href="/buy/${product.slug}?src=store&amp;offer=${offerId}&amp;currency=EUR"`),
  );
  t.regex(page, /99\.00 USD/);
});

test('a price in a currency that is not enabled has no button', async (t) => {
  const product = await sell({ prices: { USD: 1_250, JPY: 2_000 } });
  const page = await (await api.request(`/p/${product.slug}`)).text();
  t.true(page.includes('data-currency="USD"'));
  t.false(page.includes('JPY'));
});
