import test from 'ava';
import { Offer, Price } from '../../../domain/catalog/offer.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { startBuying } from '../../support/purchases/buying.ts';
import type { SeedProduct } from '../../support/catalog/seed.ts';

const buying = await startBuying();
const { api, sell, signedIn, clicksOf, checkoutsOf, expectReason, expectCheckout } = buying;
test.after.always(() => api.close());

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
