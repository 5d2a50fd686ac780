import test, { type ExecutionContext } from 'ava';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';
import { startBuying } from '../../support/purchases/buying.ts';
import { pay } from '../../support/purchases/simulator.ts';

const buying = await startBuying();
const { api, sell, signedIn, checkoutsOf, purchasesOf, clicksOf, expectCheckout } = buying;
const { stories } = createSubscribers(buying);
test.after.always(() => api.close());

const WEBSITE = 'https://synth.example/app';
const THANKS = 'https://synth.example/thanks?plan=pro';

async function sellOnline() {
  const product = await sell({ name: 'Pocket Synth', prices: { USD: 1_900 } });
  const em = api.database.em();
  await em.nativeUpdate(Product, { id: product.id }, { websiteUrl: WEBSITE });
  return product;
}

type Sold = Awaited<ReturnType<typeof sellOnline>>;

const linkTo = ({ slug }: Sold, returnTo: string, more = '') =>
  `/buy/${slug}?return_to=${encodeURIComponent(returnTo)}${more}`;

const returnOf = async (product: Sold) => (await checkoutsOf(product)).at(-1)!['return_to'];

/** The buyer pays, and the payment clears. */
async function finish(t: ExecutionContext, product: Sold, answer: Response, personId: string) {
  await pay(expectCheckout(t, answer));
  const purchaseId = String((await purchasesOf(product)).at(-1)!['id']);
  await stories.settle({ personId, productId: product.id, purchaseId });
  return purchaseId;
}

const backIn = (page: string) =>
  /href="([^"]+)" data-return/.exec(page)?.[1]?.replaceAll('&amp;', '&');

test('after a finished purchase the page leads back with the purchase', async (t) => {
  const product = await sellOnline();
  const { browser, person } = await signedIn();
  const purchaseId = await finish(
    t,
    product,
    await browser.get(linkTo(product, THANKS)),
    person.id,
  );
  const page = await (await browser.get(`/purchases/${purchaseId}`)).text();
  t.is(backIn(page), `${THANKS}&purchase_id=${purchaseId}`);
  t.regex(page, /Continue to Pocket Synth/);
});

test('the way back survives sign-in', async (t) => {
  const product = await sellOnline();
  const [browser, person] = [api.browser(), await api.seed.person()];
  await browser.get(linkTo(product, THANKS, '&src=docs'));
  const back = (await browser.signIn(person)).headers.get('location')!;
  expectCheckout(t, await browser.get(back));
  t.is(await returnOf(product), THANKS);
  t.is((await clicksOf(product)).length, 1);
});

test('the origin of a client of the product is registered too, while the client is', async (t) => {
  const product = await sell({ prices: { USD: 1_900 } });
  const redirectUris = ['https://app.example/callback'];
  const { clientId } = await api.seed.client({ product, redirectUris });
  const { browser, person } = await signedIn();
  const link = linkTo(product, 'https://app.example/done');
  const purchaseId = await finish(t, product, await browser.get(link), person.id);
  const read = async () => (await browser.get(`/purchases/${purchaseId}`)).text();
  t.is(backIn(await read()), `https://app.example/done?purchase_id=${purchaseId}`);
  await api.test.query('update oauth_client set deleted_at = now() where id = $1', [clientId]);
  t.is(backIn(await read()), undefined);
});

test('any other address is ignored, and the purchase goes on', async (t) => {
  const product = await sellOnline();
  const other = await sell();
  await api.seed.client({ product: other, redirectUris: ['https://other.example/cb'] });
  const { browser } = await signedIn();
  for (const returnTo of [
    'https://evil.example/',
    'https://synth.example.evil.example/',
    'https://synth.example@evil.example/',
    'http://synth.example/',
    'https://other.example/',
    '//synth.example/',
    'javascript:alert(1)',
    '%00',
    `https://synth.example/${'a'.repeat(2_000)}`,
  ]) {
    expectCheckout(t, await browser.get(linkTo(product, returnTo)));
    t.is(await returnOf(product), null, returnTo);
  }
  const twice = linkTo(product, THANKS, `&return_to=${encodeURIComponent(THANKS)}`);
  expectCheckout(t, await browser.get(twice));
  t.is(await returnOf(product), null);
});

test('the link that was followed last says where an open checkout leads back', async (t) => {
  const product = await sellOnline();
  const { browser } = await signedIn();
  await browser.get(linkTo(product, THANKS));
  t.is(await returnOf(product), THANKS);
  await browser.get(linkTo(product, WEBSITE));
  t.is(await returnOf(product), WEBSITE);
  await browser.get(`/buy/${product.slug}`);
  t.is(await returnOf(product), null);
  t.is((await checkoutsOf(product)).length, 1);
});
