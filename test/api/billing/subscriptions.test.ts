import test from 'ava';
import { startBuying } from '../../support/purchases/buying.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';
import { arrivalOf } from '../../support/http/arrival.ts';

const buying = await startBuying();
const { api, signedIn, expectReason } = buying;
const { stories, subscribed } = createSubscribers(buying);
test.after.always(() => api.close());

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
