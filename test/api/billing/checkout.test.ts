import test from 'ava';
import { Price } from '../../../domain/catalog/offer.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { Purchase } from '../../../domain/billing/purchases/purchase.entity.ts';
import { startBuying } from '../../support/purchases/buying.ts';
import { pay } from '../../support/purchases/simulator.ts';

const buying = await startBuying();
const { api, sell, signedIn, checkoutsOf, purchasesOf, expectReason, expectCheckout } = buying;
test.after.always(() => api.close());

test('who owns it lands on already_owned, after signing in', async (t) => {
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
