import test from 'ava';
import { Product, ProductSlug } from '../../../domain/catalog/product.entity.ts';
import { makeMailToken } from '../../../domain/identity/mail/mail-link.ts';
import { insertMail } from '../../../domain/identity/mail/mail.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { createTokenSigner } from '../../../domain/shared/secrets.ts';
import { decideAttribution } from '../../../domain/billing/checkout/attribution.ts';
import { openCheckout } from '../../../domain/billing/checkout/open-checkout.repository.ts';
import { startBuying } from '../../support/purchases/buying.ts';

const { api, sell, clicksOf, checkoutsOf, expectReason, expectCheckout } = await startBuying();
const signer = createTokenSigner(api.config.secretKeys);
test.after.always(() => api.close());

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
  const opened = await api.database.transaction((em) => openCheckout(em, intent));
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
