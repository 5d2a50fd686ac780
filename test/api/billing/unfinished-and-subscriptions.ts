import test, { type ExecutionContext } from 'ava';
import { arrivalOf } from '../../support/http/arrival.ts';
import { Price } from '../../../domain/catalog/offer.entity.ts';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { pay } from '../../support/purchases/simulator.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';
import { buying } from './scene.ts';

const { api, sell, signedIn, seller, checkoutsOf, purchasesOf, expectReason, expectCheckout } =
  buying;

const LIST = '/settings/purchases';

/** Somebody who went to the checkout and left it. */
async function left(t: ExecutionContext, query = '') {
  const product = await sell({ name: 'Left Behind' });
  const { browser, person } = await signedIn();
  const session = expectCheckout(t, await browser.get(`/buy/${product.slug}${query}`));
  const [purchase] = await purchasesOf(product);
  const path = `/purchases/${String(purchase!['id'])}`;
  const read = async (at: string) => (await browser.get(at)).text();
  const discard = (by = browser) => by.submit(LIST, { action: `${path}/discard` });
  const toWorkflow = () =>
    api.test.query(
      `select message from outbox where workflow_id = $1 and message ->> 'kind' = 'close'`,
      [`purchase:${String(purchase!['id'])}`],
    );
  return { product, browser, person, session, path, read, discard, toWorkflow };
}

test('a checkout that was left behind says so, and is continued at the same session', async (t) => {
  const { browser, session, path, read } = await left(t);
  for (const page of [await read(path), await read(LIST)]) {
    t.regex(page, /not finished/i);
    t.true(page.includes(`href="${path}/continue"`));
    t.true(page.includes(`action="${path}/discard"`));
  }
  t.is((await browser.get(path)).headers.get('refresh'), null, 'nothing is awaited');
  t.is(expectCheckout(t, await browser.get(`${path}/continue`)), session);
});

test('the library and the page of the product show an unfinished checkout to its buyer alone', async (t) => {
  const { product, browser, path, read, discard } = await left(t);
  const pages = ['/library', `/p/${product.slug}`];
  for (const page of pages) {
    const shown = await read(page);
    t.is(shown.split('data-unfinished').length, 2, page);
    t.regex(shown, /Checkout not finished/);
    t.true(shown.includes(`href="${path}/continue"`));
    t.true(shown.includes(`action="${path}/discard"`));
    const other = await signedIn();
    t.notRegex(await (await other.browser.get(page)).text(), /data-unfinished/);
  }
  t.notRegex(await (await api.request(pages[1]!)).text(), /data-unfinished/);
  t.regex(await read(pages[1]!), /href="\/buy\//, 'another offer may still be chosen');
  t.is((await discard(browser)).status, 303);
  for (const page of pages) t.notRegex(await read(page), /data-unfinished/);
});

test('continuing is no click, and changes neither source nor way back', async (t) => {
  const { product, browser, path } = await left(t, '?src=docs');
  await browser.get(`${path}/continue`);
  t.is((await buying.clicksOf(product)).length, 1);
  t.like((await purchasesOf(product))[0], { service_campaign: 'docs' });
  const prefetch = { 'sec-purpose': 'prefetch' };
  t.is((await browser.get(`${path}/continue`, prefetch)).status, 204);
});

test('who cancels at the checkout comes back to a page that says so', async (t) => {
  const { session, browser, path } = await left(t);
  const checkout = await (await fetch(session)).text();
  const back = /href="([^"]+)">Cancel and go back/.exec(checkout)![1]!.replaceAll('&amp;', '&');
  const { pathname, search } = new URL(back);
  t.is(pathname, path);
  const page = await browser.get(pathname + search);
  t.is(page.headers.get('refresh'), null);
  t.regex(await page.text(), /You left the checkout\. You weren(&#39;|')t charged\./);
});

test('the terms that were shown are kept: a new price or an unlisted product changes nothing', async (t) => {
  const { product, browser, session, path } = await left(t);
  const em = api.database.em();
  await em.nativeUpdate(
    Price,
    { offerId: product.offerId, isBase: true },
    { retiredAt: new Date() },
  );
  await em.nativeUpdate(Product, { id: product.id }, { state: 'unlisted' });
  t.is(expectCheckout(t, await browser.get(`${path}/continue`)), session);
});

test('an intent that never reached the processor opens its session, while the product is listed', async (t) => {
  const { product, browser, path } = await left(t);
  await api.test.query(
    `update checkout set session_id = null, session_url = null where product_id = $1`,
    [product.id],
  );
  expectCheckout(t, await browser.get(`${path}/continue`));
  await api.test.query(
    `update checkout set session_id = null, session_url = null where product_id = $1`,
    [product.id],
  );
  await api.database.em().nativeUpdate(Product, { id: product.id }, { state: 'unlisted' });
  expectReason(t, await browser.get(`${path}/continue`), 'not_listed');
});

test('a checkout that expired at the processor is over, and the product page says so', async (t) => {
  const { product, browser, path } = await left(t);
  const [checkout] = await checkoutsOf(product);
  await api.processor.expireCheckout(String(checkout!['session_id']));
  const over = await browser.get(`${path}/continue`);
  t.is(arrivalOf(over), `/p/${product.slug} checkout_over`);
  t.is((await checkoutsOf(product))[0]!['status'], 'replaced');
  t.regex(await (await browser.get(path)).text(), /This checkout has ended/);
});

test('discarding ends the session at the processor, then the checkout', async (t) => {
  const { product, browser, session, path, read, discard, toWorkflow } = await left(t);
  const discarded = await discard();
  t.is(arrivalOf(discarded), `${LIST} checkout_discarded`);
  t.is((await pay(session)).status, 409);
  t.is((await checkoutsOf(product))[0]!['status'], 'abandoned');
  t.deepEqual(await toWorkflow(), [{ message: { kind: 'close' } }]);
  const list = await read(LIST);
  t.regex(list, /Checkout discarded/);
  t.notRegex(list, /not finished/i);
  t.is((await browser.get(`${path}/continue`)).headers.get('location'), path);
  expectCheckout(t, await browser.get(`/buy/${product.slug}`));
});

test('an unfinished checkout that is discarded twice at once ends once', async (t) => {
  const { discard, toWorkflow } = await left(t);
  const answers = await Promise.all([discard(), discard(), discard()]);
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
  t.deepEqual(await toWorkflow(), [{ message: { kind: 'close' } }]);
});

test('what was paid meanwhile is not discarded', async (t) => {
  const { product, session, path, discard } = await left(t);
  t.is((await pay(session)).status, 303);
  t.is((await discard()).headers.get('location'), `${path}?returned=yes`);
  t.is((await checkoutsOf(product))[0]!['status'], 'open');
});

test('an unfinished checkout of somebody else is neither continued nor discarded', async (t) => {
  const { product, path, discard } = await left(t);
  const { browser: stranger } = await signedIn();
  t.is((await stranger.get(`${path}/continue`)).headers.get('location'), path);
  t.is((await stranger.get(path)).status, 404);
  await discard(stranger);
  t.is((await checkoutsOf(product))[0]!['status'], 'open');
  t.is((await stranger.get('/purchases/nonsense/continue')).status, 404);
});

test('the seller sees unfinished checkouts only when asking for them', async (t) => {
  const { product, path } = await left(t);
  const browser = api.browser();
  await browser.signIn(seller);
  const list = `/console/products/${product.slug}/purchases`;
  const id = path.split('/').at(-1)!;
  const page = await (await browser.get(list)).text();
  t.false(page.includes(id));
  t.true(page.includes(`href="${list}?state=unfinished"`));
  const all = await (await browser.get(`${list}?state=unfinished`)).text();
  t.true(all.includes(id));
  t.regex(all, /data-state="pending">Not finished</);
});

const { stories, subscribed } = createSubscribers(buying);

test('a person subscribes, sees the subscription among the purchases, and cannot buy it twice', async (t) => {
  const { browser, product, path, story } = await subscribed(t);
  t.is(await stories.statusOf(story), 'active');
  const list = await (await browser.get('/settings/purchases')).text();
  t.true(list.includes(`href="${path}"`));
  const page = await (await browser.get(path)).text();
  t.regex(page, /19\.00 USD a month/);
  expectReason(t, await browser.get(`/buy/${product.slug}`), 'already_owned');
  t.regex(await (await browser.get('/library')).text(), /Subscription/);
});

test('cancelling asks first, then says so; the page offers to resume until the end', async (t) => {
  const { browser, path, story } = await subscribed(t);
  t.regex(await (await browser.get(`${path}/cancel`)).text(), /Cancel subscription/);
  const cancel = () => browser.submit(`${path}/cancel`, { action: `${path}/cancel`, fields: {} });
  const first = await cancel();
  t.regex(
    (await browser.get(path)).headers.get('refresh')!,
    /^2; url=\/subscriptions\/\w+\?since=\d+$/,
  );
  t.is(arrivalOf(first), `${path} subscription_cancelled`);
  t.is(arrivalOf(await cancel()), `${path} unchanged`);
  await stories.hear(story, { isCancelAtPeriodEnd: true });
  const cancelled = await browser.get(path);
  t.is(cancelled.headers.get('refresh'), null);
  t.regex(await cancelled.text(), /Cancelled\. Access ends/);
  const resume = () => browser.submit(path, { action: `${path}/resume`, fields: {} });
  t.is(arrivalOf(await resume()), `${path} subscription_resumed`);
  t.is(arrivalOf(await resume()), `${path} unchanged`);
  await stories.hear(story);
  t.is(await stories.statusOf(story), 'active');
});

test('who cancels while a renewal fails is told that it is still tried', async (t) => {
  const { browser, path, story } = await subscribed(t);
  await stories.hear(story, { begun: -30, retryIn: 1 });
  const asked = await (await browser.get(`${path}/cancel`)).text();
  t.regex(asked, /If we still collect the failed payment/);
  t.notRegex(asked, /You can resume anytime/);
  await stories.hear(story, { begun: -30, retryIn: 1, isCancelAtPeriodEnd: true });
  const page = await (await browser.get(path)).text();
  t.regex(page, /Cancelled\. Access ends/);
  t.regex(page, /If we still collect the failed payment/);
});

test("another card is typed in at the processor's page", async (t) => {
  const { browser, path, story } = await subscribed(t);
  const answer = await browser.submit(path, { action: `${path}/card`, fields: {} });
  t.is(answer.status, 303);
  t.true(answer.headers.get('location')!.startsWith(api.config.processor.apiUrl));
  await stories.hear(story, { endedAt: 0 });
  const late = await browser.submit('/settings/profile', { action: `${path}/card`, fields: {} });
  t.is(arrivalOf(late), `${path} unchanged`);
});

test("somebody else's subscription, and one that nobody has, are not there", async (t) => {
  const { path, story } = await subscribed(t);
  const { browser } = await signedIn();
  const unknown = `/subscriptions/sub_${'0'.repeat(26)}`;
  for (const each of [path, unknown, '/subscriptions/x', '/subscriptions/%00']) {
    t.is((await browser.get(each)).status, 404, each);
    t.is((await browser.get(`${each}/cancel`)).status, 404, each);
    for (const entry of ['cancel', 'resume', 'card']) {
      const forged = { action: `${each}/${entry}`, fields: {} };
      t.is((await browser.submit('/settings/profile', forged)).status, 404, `${each}/${entry}`);
    }
  }
  t.like(await stories.rowOf(story), { requested_change: null, status: 'active' });
});

test('deleting the account ends the billing first', async (t) => {
  const { browser, story } = await subscribed(t);
  const answer = await browser.submit('/settings/delete-account', {
    action: '/settings/delete-account',
    fields: { password: 'correct horse battery' },
  });
  t.is(answer.status, 303);
  t.like(await stories.rowOf(story), { status: 'ended', is_closing: true });
  t.is((await stories.messagesTo(story)).at(-1), 'close');
});
