import test, { type ExecutionContext } from 'ava';
import { authorizePath } from '../../support/identity/oauth.ts';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';
import { pay } from '../../support/purchases/simulator.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { NO_ADDRESS } from '../../../api/html/open-product.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';
import { buying } from './scene.ts';

const { api, sell, signedIn, checkoutsOf, purchasesOf, clicksOf, expectCheckout } = buying;
const { stories, subscribed } = createSubscribers(buying);

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
  /href="([^"]+)"\s+data-return/.exec(page)?.[1]?.replaceAll('&amp;', '&');

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

const PAPER_WEBSITE = 'https://paper.example/app';
const SIGN_IN = 'https://paper.example/sign-in';

type Browser = ReturnType<typeof api.browser>;

const place = (id: string, addresses: { websiteUrl?: string; signInUrl?: string }) =>
  api.database.em().nativeUpdate(Product, { id }, addresses);

const read = async (browser: Browser, path: string) => (await browser.get(path)).text();

const opened = (page: string) => /href="([^"]+)"[^>]*data-open/.exec(page)?.[1];

test('who has access opens the product from its page and the library, and is not asked to buy', async (t) => {
  for (const type of ['purchase', 'complimentary', 'subscription'] as const) {
    const product = await sell({ name: 'Paper Trail' });
    await place(product.id, { websiteUrl: PAPER_WEBSITE });
    const { browser, person } = await signedIn();
    const path = `/p/${product.slug}`;
    t.regex(await read(browser, path), /href="\/buy\//);
    const source = newPublicId(type === 'complimentary' ? 'grant_' : 'pay_');
    await api.seed.grant({ productId: product.id, personId: person.id }, { type, source });
    const page = await read(browser, path);
    t.is(opened(page), PAPER_WEBSITE, type);
    t.regex(page, />Open Paper Trail</);
    t.notRegex(page, /\/buy\//);
    t.true((await read(browser, '/library')).includes(`href="${PAPER_WEBSITE}"`));
    t.regex(await read(api.browser(), path), /href="\/buy\//);
  }
});

test('a sign-in start address is opened before the website', async (t) => {
  const product = await sell();
  await place(product.id, { websiteUrl: PAPER_WEBSITE, signInUrl: SIGN_IN });
  const { browser, person } = await signedIn();
  await api.seed.grant({ productId: product.id, personId: person.id });
  t.is(opened(await read(browser, `/p/${product.slug}`)), SIGN_IN);
  t.true((await read(browser, '/library')).includes(`href="${SIGN_IN}"`));
});

test('where no address is set, each page says so and leads in no circle', async (t) => {
  const product = await sell();
  const { browser, person } = await signedIn();
  await api.seed.grant({ productId: product.id, personId: person.id });
  for (const path of [`/p/${product.slug}`, '/library']) {
    const page = await read(browser, path);
    t.true(page.includes(NO_ADDRESS), path);
    t.notRegex(page, />\s*Open[ <]/);
  }
});

test('a member opens an Included product: the first time is recorded, and each leads to it', async (t) => {
  const product = await sell({ includedWithMember: true });
  await place(product.id, { websiteUrl: PAPER_WEBSITE });
  const { browser, person } = await signedIn();
  const path = `/p/${product.slug}`;
  const action = `/member/open/${product.slug}`;
  t.is((await browser.submit(path, { action, fields: {} })).headers.get('location'), path);
  const membership = { id: newUuid(), personId: person.id, status: 'active' as const };
  await api.database.em().insert(Membership, { ...membership, endsAt: null });
  const before = await browser.get(path);
  t.false(before.headers.get('content-security-policy')!.includes('form-action'));
  const page = await before.text();
  t.regex(page, /Open with Member/);
  t.notRegex(page, /\/buy\//);
  for (const _ of ['first', 'again']) {
    const answer = await browser.submit(path, { action, fields: {} });
    t.is(answer.headers.get('location'), PAPER_WEBSITE);
  }
  const events = await api.test.query('select name from event where product_id = $1', [product.id]);
  t.deepEqual(events, [{ name: 'entitlement.created' }]);
  t.is(opened(await read(browser, path)), PAPER_WEBSITE);
});

test('the page of a purchase opens the product while the buyer has access', async (t) => {
  const { browser, story } = await subscribed(t, 'Tide Table');
  const path = `/purchases/${story.purchaseId}`;
  await api.test.query(
    `update product set website_url = $1 where id = (select product_id from purchase where id = $2)`,
    [PAPER_WEBSITE, story.purchaseId],
  );
  const page = await read(browser, path);
  t.is(opened(page), PAPER_WEBSITE);
  t.regex(page, />Open Tide Table</);
  await stories.hear(story, { endedAt: 0 });
  t.is(opened(await read(browser, path)), undefined);
});

const STEP = '/confirm-email';

/** Somebody who wants to buy, and has not confirmed the address. */
async function wanting(t: ExecutionContext) {
  const product = await sell({ name: 'Paper <Trail>' });
  const [browser, person] = [api.browser(), await api.seed.person({ isEmailVerified: false })];
  await browser.signIn(person);
  const sent = await browser.get(`/buy/${product.slug}`);
  t.is(sent.status, 303);
  t.is(sent.headers.get('location'), STEP);
  return { product, browser, person };
}

test('an unconfirmed address is a step of buying, which names the product and the address', async (t) => {
  const { browser, person } = await wanting(t);
  const response = await browser.get(STEP);
  t.is(response.status, 200);
  const page = await response.text();
  t.true(page.includes('<h1>Confirm your email to continue buying Paper &lt;Trail&gt;</h1>'));
  t.true(page.includes(person.email));
  t.regex(page, /<nav aria-label="Main">/);
});

test('the link is sent again in place, and not for ever', async (t) => {
  const { browser, person } = await wanting(t);
  const send = () => browser.submit(STEP, { action: STEP, fields: {} });
  t.is(arrivalOf(await send()), `${STEP} verification_sent`);
  const mails = await api.test.query(
    `select 1 from mail_token where person_id = $1 and purpose = 'verify_email'`,
    [person.id],
  );
  t.is(mails.length, 1);
  t.regex(await (await browser.get(STEP)).text(), /a new link/);
  let answer = await send();
  for (let n = 0; n < 20 && answer.status === 303; n += 1) answer = await send();
  t.is(answer.status, 429);
});

test('once the address is confirmed the step leads on to the checkout', async (t) => {
  const { product, browser, person } = await wanting(t);
  await api.test.query('update person set email_verified_at = now() where id = $1', [person.id]);
  const onwards = (await browser.get(STEP)).headers.get('location')!;
  t.true(onwards.startsWith(`/buy/${product.slug}?resume=`));
  const checkout = (await browser.get(onwards)).headers.get('location')!;
  t.true(checkout.startsWith(api.config.processor.apiUrl));
  t.is((await browser.get(STEP)).headers.get('location'), '/');
  t.is((await browser.submit('/', { action: STEP, fields: {} })).headers.get('location'), STEP);
});

test('the step is the same for Member, and names nothing where nothing is pending', async (t) => {
  const { browser } = await wanting(t);
  await priceMember({ database: api.database, testDatabase: api.test });
  t.is((await browser.get('/member/subscribe')).headers.get('location'), STEP);
  t.regex(await (await browser.get(STEP)).text(), /continue buying Member/);
  browser.cookies.delete('gatehouse_pre_session');
  t.regex(await (await browser.get(STEP)).text(), /<h1>Confirm your email to continue<\/h1>/);
});

test('sign-in, sign-up and check-mail name the app that sent the person', async (t) => {
  const client = await api.seed.client({ product: await sell({ name: 'Any' }) });
  await api.test.query(`update oauth_client set name = 'Paper <Trail>' where id = $1`, [
    client.clientId,
  ]);
  const browser = api.browser();
  await browser.get(authorizePath(client));
  for (const path of ['/sign-in', '/sign-up', '/sign-up/passkey', '/check-mail']) {
    const page = await (await browser.get(path)).text();
    t.regex(page, /to continue to <strong>Paper &lt;Trail&gt;<\/strong>/, path);
  }
});

test('sign-in, sign-up and check-mail name what is about to be bought, and nothing else', async (t) => {
  const product = await sell({ name: 'Night Shift' });
  const browser = api.browser();
  const paths = ['/sign-in', '/sign-up', '/sign-up/passkey', '/check-mail'];
  const read = async (path: string) => (await browser.get(path)).text();
  for (const path of paths) t.notRegex(await read(path), /data-pending/, path);
  await browser.get(`/buy/${product.slug}?src=docs`);
  for (const path of paths) {
    t.regex(await read(path), /to continue buying <strong>Night Shift<\/strong>/, path);
  }
  const refused = await browser.signIn({ email: 'nobody@example.com', password: 'wrong' });
  t.is(refused.status, 422);
  t.regex(await refused.text(), /continue buying <strong>Night Shift/);
  await browser.get('/settings/purchases');
  for (const path of paths) t.notRegex(await read(path), /data-pending/, path);
});
