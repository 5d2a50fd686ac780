import test from 'ava';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { NO_ADDRESS } from '../../../api/storefront/open-product.ts';
import { startBuying } from '../../support/purchases/buying.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';

const buying = await startBuying();
const { api, sell, signedIn } = buying;
const { subscribed, stories } = createSubscribers(buying);
test.after.always(() => api.close());

const WEBSITE = 'https://paper.example/app';
const SIGN_IN = 'https://paper.example/sign-in';

type Browser = ReturnType<typeof api.browser>;

const place = (id: string, addresses: { websiteUrl?: string; signInUrl?: string }) =>
  api.database.em().nativeUpdate(Product, { id }, addresses);

const read = async (browser: Browser, path: string) => (await browser.get(path)).text();

const opened = (page: string) => /href="([^"]+)"[^>]*data-open/.exec(page)?.[1];

test('who has access opens the product from its page and the library, and is not asked to buy', async (t) => {
  for (const type of ['purchase', 'complimentary', 'subscription'] as const) {
    const product = await sell({ name: 'Paper Trail' });
    await place(product.id, { websiteUrl: WEBSITE });
    const { browser, person } = await signedIn();
    const path = `/p/${product.slug}`;
    t.regex(await read(browser, path), /href="\/buy\//);
    const source = newPublicId(type === 'complimentary' ? 'grant_' : 'pay_');
    await api.seed.grant({ productId: product.id, personId: person.id }, { type, source });
    const page = await read(browser, path);
    t.is(opened(page), WEBSITE, type);
    t.regex(page, />Open Paper Trail</);
    t.notRegex(page, /\/buy\//);
    t.true((await read(browser, '/library')).includes(`href="${WEBSITE}"`));
    t.regex(await read(api.browser(), path), /href="\/buy\//);
  }
});

test('a sign-in start address is opened before the website', async (t) => {
  const product = await sell();
  await place(product.id, { websiteUrl: WEBSITE, signInUrl: SIGN_IN });
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
  await place(product.id, { websiteUrl: WEBSITE });
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
    t.is(answer.headers.get('location'), WEBSITE);
  }
  const events = await api.test.query('select name from event where product_id = $1', [product.id]);
  t.deepEqual(events, [{ name: 'entitlement.created' }]);
  t.is(opened(await read(browser, path)), WEBSITE);
});

test('the page of a purchase opens the product while the buyer has access', async (t) => {
  const { browser, story } = await subscribed(t, 'Tide Table');
  const path = `/purchases/${story.purchaseId}`;
  await api.test.query(
    `update product set website_url = $1 where id = (select product_id from purchase where id = $2)`,
    [WEBSITE, story.purchaseId],
  );
  const page = await read(browser, path);
  t.is(opened(page), WEBSITE);
  t.regex(page, />Open Tide Table</);
  await stories.hear(story, { endedAt: 0 });
  t.is(opened(await read(browser, path)), undefined);
});
