import test from 'ava';
import { newUuid } from '../../../domain/shared/ids.ts';
import { Product, ProductSlug } from '../../../domain/catalog/product.entity.ts';
import { makeMailToken } from '../../../domain/identity/mail/mail-link.ts';
import { insertMail } from '../../../domain/identity/mail/mail.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { createTokenSigner } from '../../../domain/shared/secrets.ts';
import { decideAttribution } from '../../../domain/billing/checkout/attribution.ts';
import { recordCheckout } from '../../../domain/billing/checkout/record-checkout.repository.ts';
import { buying } from './scene.ts';

const { api, sell, signedIn, clicksOf, checkoutsOf, purchasesOf, expectReason, expectCheckout } =
  buying;

test('a signed-in buyer is sent to the hosted checkout of the base price', async (t) => {
  const product = await sell();
  const { browser, person } = await signedIn();
  const response = await browser.get(`/buy/${product.slug}?src=Docs%20Caf%C3%A9`);
  const page = await (await fetch(expectCheckout(t, response))).text();
  t.regex(page, /12\.50 USD/);
  const [purchase] = await purchasesOf(product);
  t.like(purchase, {
    person_id: person.id,
    status: 'pending',
    service_source: 'docs',
    service_campaign: 'docs-cafe',
    service_campaign_raw: 'Docs Café',
  });
  t.deepEqual(await clicksOf(product), [
    { source: 'buy-link:docs-cafe', campaign: 'docs-cafe', raw: 'Docs Café' },
  ]);
  const [checkout] = await checkoutsOf(product);
  t.like(checkout, { status: 'open', amount_minor: '1250', currency: 'USD' });
  t.truthy(checkout!['session_id']);
});

test('a currency that the builder has priced is charged in that currency, in either case', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  const response = await browser.get(`/buy/${product.slug}?currency=brl`);
  t.regex(await (await fetch(expectCheckout(t, response))).text(), /59\.00 BRL/);
});

test('an empty currency is absent', async (t) => {
  const product = await sell();
  const { browser } = await signedIn();
  expectCheckout(t, await browser.get(`/buy/${product.slug}?currency=`));
});

test('a currency that is unknown, repeated, a metal or a test code is currency_unknown', async (t) => {
  const product = await sell();
  for (const query of [
    'currency=zzz',
    'currency=usd&currency=usd',
    'currency=US',
    'currency=XXX',
    'currency=XTS',
    'currency=XAU',
    'currency=%C3%9Fd',
    'currency=%00',
  ]) {
    expectReason(t, await api.request(`/buy/${product.slug}?${query}`), 'currency_unknown');
  }
  t.is((await clicksOf(product)).length, 8);
});

test('a currency that is not priced, or not enabled, is currency_not_offered', async (t) => {
  const product = await sell({ prices: { USD: 1_250, JPY: 2_000 } });
  for (const currency of ['GBP', 'JPY', 'CHF']) {
    const response = await api.request(`/buy/${product.slug}?currency=${currency}`);
    expectReason(t, response, 'currency_not_offered');
  }
});

test('unknown, draft and removed products are 404 pages and record no click', async (t) => {
  for (const state of ['draft', 'removed'] as const) {
    const product = await sell({ state });
    const response = await api.request(`/buy/${product.slug}`);
    t.is(response.status, 404);
    t.regex(await response.text(), /<h1>There is nothing behind this gate/);
    t.deepEqual(await clicksOf(product), []);
  }
  t.is((await api.request('/buy/never-was')).status, 404);
  t.is((await api.request(`/buy/${newUuid()}`)).status, 404);
});

test('the reasons come in their order, each after a recorded click', async (t) => {
  const unready = await api.seed.person({ isBuilder: true });
  const unverified = await api.seed.person();
  const restricted = await api.seed.person({ isBuilder: true });
  await api.seed.payoutAccount(restricted, { account: 'acct_restricted', canCharge: false });
  const cases: [Parameters<typeof api.seed.product>[0], string][] = [
    [{ state: 'unlisted', delivery: 'affiliate', prices: {}, owner: unverified }, 'not_listed'],
    [{ delivery: 'external_store', prices: {}, owner: unverified }, 'no_active_price'],
    [{ owner: unverified }, 'no_commercial_operator'],
    [{ owner: unready }, 'payouts_not_ready'],
    [{ owner: restricted, delivery: 'affiliate' }, 'payouts_not_ready'],
    [{ delivery: 'external_store' }, 'not_sold_here'],
    [{ delivery: 'affiliate' }, 'not_sold_here'],
  ];
  for (const [options, reason] of cases) {
    const product = await sell(options);
    expectReason(t, await api.request(`/buy/${product.slug}?currency=zzz`), reason);
    t.is((await clicksOf(product)).length, 1, reason);
  }
});

test('the click is recorded once, however often sign-in returns', async (t) => {
  const product = await sell();
  const person = await api.seed.person();
  const browser = api.browser();
  const sent = await browser.get(`/buy/${product.slug}?src=launch-day&currency=eur`);
  t.is(sent.headers.get('location'), '/sign-in');
  t.is((await browser.signIn({ email: person.email, password: 'wrong' })).status, 422);
  const back = (await browser.signIn(person)).headers.get('location')!;
  t.true(back.startsWith(`/buy/${product.slug}?src=launch-day&currency=eur&`));
  const page = await (await fetch(expectCheckout(t, await browser.get(back)))).text();
  t.regex(page, /11\.50 EUR/);
  await browser.get(back);
  t.is((await clicksOf(product)).length, 1);
  const [purchase] = await purchasesOf(product);
  t.like(purchase, { service_source: 'launch', service_campaign: 'launch-day' });
  t.false(browser.cookies.has('gatehouse_pre_session'), 'it is resumed once');
  await browser.get(`/buy/${product.slug}?src=launch-day&currency=eur`);
  t.is((await clicksOf(product)).length, 2, 'the link itself is a click each time');
});

test('a return that finds no session is sent to sign-in again, with the same click', async (t) => {
  const product = await sell();
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}`);
  for (const _ of ['once', 'again']) {
    const back = (await browser.signIn(person)).headers.get('location')!;
    browser.cookies.delete('gatehouse_session');
    t.is((await browser.get(back)).headers.get('location'), '/sign-in');
  }
  expectCheckout(t, await browser.get((await browser.signIn(person)).headers.get('location')!));
  t.is((await clicksOf(product)).length, 1);
});

test('the mark of one link is none on another', async (t) => {
  const [product, other] = [await sell(), await sell()];
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}`);
  const back = (await browser.signIn(await api.seed.person())).headers.get('location')!;
  await browser.get(back.replace(product.slug, other.slug));
  t.is((await clicksOf(other)).length, 1);
});

test('a made-up return mark counts as a click', async (t) => {
  const product = await sell();
  await api.request(`/buy/${product.slug}?resume=${newUuid()}.x`);
  await api.request(`/buy/${product.slug}?resume=x&resume=y`);
  t.is((await clicksOf(product)).length, 2);
});

test('HEAD and prefetch requests are 204, and nothing else happens', async (t) => {
  const product = await sell();
  const requests = [
    { method: 'HEAD' },
    { headers: { 'sec-purpose': 'prefetch;prerender' } },
    { headers: { purpose: 'prefetch' } },
  ];
  for (const init of requests) {
    const response = await api.request(`/buy/${product.slug}`, init);
    t.is(response.status, 204);
    t.is(response.headers.get('location'), null);
  }
  t.deepEqual(await clicksOf(product), []);
});

test('old slugs and the UUID work directly', async (t) => {
  const product = await sell({ slug: 'fresh-name', oldSlugs: ['stale-name'] });
  const { browser } = await signedIn();
  for (const ref of ['stale-name', product.id, product.id.toUpperCase()]) {
    expectCheckout(t, await browser.get(`/buy/${ref}`));
  }
  expectReason(t, await api.request('/buy/stale-name?currency=zzz'), 'currency_unknown');
});

const signer = createTokenSigner(api.config.secretKeys);

const unlist = (id: string) =>
  api.database.em().nativeUpdate(Product, { id }, { state: 'unlisted' });

test('a product that is unlisted while the buyer signs in is not_listed when they return', async (t) => {
  const product = await sell();
  const [browser, person] = [api.browser(), await api.seed.person()];
  await browser.get(`/buy/${product.slug}`);
  await unlist(product.id);
  const back = (await browser.signIn(person)).headers.get('location')!;
  expectReason(t, await browser.get(back), 'not_listed');
  t.deepEqual(await checkoutsOf(product), []);
  t.is((await clicksOf(product)).length, 1);
});

test('a product that is renamed while the buyer signs in is bought all the same, with one click', async (t) => {
  const product = await sell();
  const [browser, person] = [api.browser(), await api.seed.person()];
  await browser.get(`/buy/${product.slug}`);
  const em = api.database.em();
  await em.nativeUpdate(ProductSlug, { slug: product.slug }, { isCurrent: false });
  await em.insert(ProductSlug, { slug: `${product.slug}-new`, productId: product.id });
  expectCheckout(t, await browser.get((await browser.signIn(person)).headers.get('location')!));
  t.is((await clicksOf(product)).length, 1);
});

test('no checkout is opened for a product that has left the store, whatever the click saw', async (t) => {
  const product = await sell();
  const person = await api.seed.person();
  const [price] = await api.test.query<{ id: string }>(
    `select id from price where offer_id = $1 and is_base`,
    [product.offerId],
  );
  await unlist(product.id);
  const { offerId } = product;
  const intent = {
    personId: person.id,
    productId: product.id,
    price: {
      priceId: price!.id,
      offerId,
      amountMinor: 1_250,
      currency: 'USD',
      isBase: true,
      kind: 'one_time' as const,
    },
    attribution: decideAttribution(null),
  };
  const opened = await api.database.transaction((em) => recordCheckout(em, intent));
  t.true(opened !== null && isRefusal(opened) && opened.refused === 'not_listed');
});

test('who has yet to confirm their address is led back to what they were about to buy, with one click', async (t) => {
  const product = await sell();
  const [browser, person] = [api.browser(), await api.seed.person({ isEmailVerified: false })];
  await browser.signIn(person);
  const path = `/buy/${product.slug}?src=docs&currency=EUR`;
  t.is((await browser.get(path)).headers.get('location'), '/confirm-email');
  const { id: personId, email: address } = person;
  const mail = { purpose: 'verify_email', personId, address } as const;
  const token = makeMailToken(signer, await insertMail(api.database.em(), mail));
  const link = `/verify-email?token=${token}`;
  const page = await (await browser.get(link)).text();
  // The token of a form for anyone; a person's own forms stand before it.
  const csrf = [...page.matchAll(/name="csrf" value="([^"]*)"/g)].at(-1)![1]!;
  const fields = { csrf, token };
  const confirmed = await browser.submit(link, { action: '/verify-email', fields });
  const back = confirmed.headers.get('location')!;
  t.true(back.startsWith(`${path}&resume=`), back);
  const checkout = await fetch(expectCheckout(t, await browser.get(back)));
  t.regex(await checkout.text(), /11\.50 EUR/);
  t.is((await clicksOf(product)).length, 1);
});
