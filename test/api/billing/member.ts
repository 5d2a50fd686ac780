import test, { type ExecutionContext } from 'ava';
import { makeMailToken } from '../../../domain/identity/mail/mail-link.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { createTokenSigner } from '../../../domain/shared/secrets.ts';
import { applyMembership } from '../../../domain/billing/memberships/apply-membership.command.ts';
import type { Returns } from '../../../domain/billing/memberships/membership-money.repository.ts';
import { takeMembershipFencingToken } from '../../../domain/billing/memberships/membership-view.repository.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';
import { CARDS, pay } from '../../support/purchases/simulator.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { buying, price } from './scene.ts';
import { readText } from '../../support/pages/read-page.ts';

const { api, signedIn, expectCheckout } = buying;

const SUBSCRIBE = '/member/subscribe?currency=USD&interval=month';

type Row = { id: string; status: string; session_id: string; requested_change: string | null };

const rowsOf = (personId: string) =>
  api.test.query<Row>('select * from membership where person_id = $1 order by created_at, id', [
    personId,
  ]);

/** Subscribed at the processor's page, and read once as its actor does. */
async function subscribed(t: ExecutionContext) {
  const { browser, person } = await signedIn();
  await pay(expectCheckout(t, await browser.get(SUBSCRIBE)));
  const [row] = await rowsOf(person.id);
  await read(row!);
  return { browser, person, membershipId: row!.id };
}

async function read(
  { id: membershipId, session_id: sessionId }: Row,
  returns: Returns = { refunds: [], disputes: [] },
) {
  const { subscriptionId } = await api.processor.readCheckout(sessionId);
  const reading = await api.processor.readSubscription(subscriptionId!);
  const fence = await api.database.transaction((em) =>
    takeMembershipFencingToken(em, membershipId),
  );
  const told = { fence, reading, returns, processor: 'simulator' };
  await api.database.transaction((em) => applyMembership(em, told));
}

test('everybody sees what Member is, what it includes and what it costs', async (t) => {
  const included = await api.seed.product({ name: 'Is included', includedWithMember: true });
  await api.seed.product({ name: 'Is not' });
  const page = await (await api.request('/member')).text();
  t.regex(page, /9\.99 USD/);
  t.true(page.includes(`href="/p/${included.slug}"`));
  t.false(page.includes('Is not'));
});

test('who is not signed in comes back to the checkout', async (t) => {
  const answer = await api.request(SUBSCRIBE);
  t.is(answer.headers.get('location'), '/sign-in');
});

test('who has yet to confirm the address is shown where, and led back once it is confirmed', async (t) => {
  const [browser, person] = [api.browser(), await api.seed.person({ isEmailVerified: false })];
  await browser.signIn(person);
  t.is((await browser.get(SUBSCRIBE)).headers.get('location'), '/confirm-email');
  t.deepEqual(await rowsOf(person.id), []);
  const asked = { action: '/confirm-email' };
  t.is((await browser.submit('/confirm-email', asked)).status, 303);
  const [mail] = await api.test.query<{ id: string }>(
    `select id from mail_token where person_id = $1 and purpose = 'verify_email'`,
    [person.id],
  );
  const token = makeMailToken(createTokenSigner(api.config.secretKeys), mail!.id);
  const page = await (await browser.get(`/verify-email?token=${token}`)).text();
  // Beside the form of a session stands one for anyone.
  const csrf = [...page.matchAll(/name="csrf" value="([^"]*)"/g)].at(-1)![1]!;
  const link = { action: '/verify-email', fields: { token, csrf } };
  const confirmed = await browser.submit('/settings/profile', link);
  t.is(confirmed.headers.get('location'), SUBSCRIBE);
  expectCheckout(t, await browser.get(SUBSCRIBE));
});

test('who leaves the checkout of Member comes back to a page that says so', async (t) => {
  const { browser } = await signedIn();
  const session = expectCheckout(t, await browser.get(SUBSCRIBE));
  const back = /href="([^"]+)">Cancel and go back/.exec(await (await fetch(session)).text())![1]!;
  const { pathname, search } = new URL(back);
  const response = await browser.get(pathname + search);
  t.regex(response.headers.get('refresh')!, /^2; url=\/member\?reason=\w+&since=\d+$/);
  const page = await response.text();
  t.regex(page, /data-reason="checkout_cancelled"/);
  t.regex(page, /Continue to payment/);
});

test('each period of Member has a receipt, listed with it, and a mail', async (t) => {
  const { browser, person } = await subscribed(t);
  const page = await (await browser.get('/member')).text();
  const [id] = /(?<=data-receipt=")\w+/.exec(page)!;
  const receipt = await (await browser.get(`/receipts/${id}`)).text();
  for (const words of ['Member', '9.99 USD', 'Sold by', 'Period', person.email]) {
    t.true(readText(receipt).includes(words), words);
  }
  const mails = await api.test.query('select 1 from mail_token where payment_id = $1', [id]);
  t.is(mails.length, 1);
  const { browser: stranger } = await signedIn();
  t.is((await stranger.get(`/receipts/${id}`)).status, 404);
  t.notRegex(await (await stranger.get('/member')).text(), /data-receipt/);
});

test('the page says until when Member is open once its money is here again, and sells it anew', async (t) => {
  const { browser, person } = await subscribed(t);
  const [row] = await rowsOf(person.id);
  const [payment] = await api.test.query<{ id: string; end: Date }>(
    'select id, period_end as end from payment where membership_id = $1',
    [row!.id],
  );
  const fact = {
    processorId: `re_${row!.id}`,
    refundId: null,
    paymentId: payment!.id,
    failure: null,
  };
  const say = (status: 'succeeded' | 'failed') =>
    read(row!, { refunds: [{ ...fact, amountMinor: 999, status }], disputes: [] });
  await say('succeeded');
  t.notRegex(await (await browser.get('/member')).text(), /paid for access until/);
  await say('failed');
  for (const path of ['/member', '/settings/purchases']) {
    const page = await (await browser.get(path)).text();
    const [, until] = /Ended\. You have paid for access until <time datetime="([^"]+)"/.exec(page)!;
    t.is(until, payment!.end.toISOString());
  }
  expectCheckout(t, await browser.get(SUBSCRIBE));
  const product = await api.seed.product({ name: 'Is open again', includedWithMember: true });
  t.regex(await (await browser.get('/library')).text(), new RegExp(product.name));
});

test('one checkout at a time: two tabs get the same one, all of the money stays here', async (t) => {
  const { browser, person } = await signedIn();
  const answers = await Promise.all([1, 2, 3].map(() => browser.get(SUBSCRIBE)));
  t.is(new Set(answers.map((answer) => expectCheckout(t, answer))).size, 1);
  const [row, ...more] = await rowsOf(person.id);
  t.deepEqual(more, []);
  const [session] = await api.test.query<{ destination: string | null }>(
    'select destination from simulator.checkout_session where id = $1',
    [row!.session_id],
  );
  t.is(session!.destination, null);
});

test('an open checkout is gone on with as it was chosen, or another price takes its place', async (t) => {
  await priceMember({ database: api.database, testDatabase: api.test }, 'year');
  const { browser, person } = await signedIn();
  const yearly = '/member/subscribe?currency=USD&interval=year';
  const chosen = expectCheckout(t, await browser.get(yearly));
  const page = await (await browser.get('/member')).text();
  const path = /href="([^"]+)"[^>]*>\s*Continue to payment/
    .exec(page)![1]!
    .replaceAll('&amp;', '&');
  t.is(expectCheckout(t, await browser.get(path)), chosen);
  t.is((await rowsOf(person.id)).length, 1);
  t.regex(page, /Subscribe for 9\.99 USD a month/);
  t.not(expectCheckout(t, await browser.get(SUBSCRIBE)), chosen);
  t.deepEqual(
    (await rowsOf(person.id)).map(({ status }) => status),
    ['ended', 'incomplete'],
  );
});

test('while the payment of Member clears its page says so, and leads to no second one', async (t) => {
  const { browser, person } = await signedIn();
  await pay(expectCheckout(t, await browser.get(SUBSCRIBE)), CARDS.clearsLate);
  await read((await rowsOf(person.id))[0]!);
  const page = await (await browser.get('/member')).text();
  t.regex(page, /We're confirming your payment/);
  t.notRegex(page, /Continue to payment|Subscribe for/);
});

test('a membership that was given is not cancelled: nothing of it is at the processor', async (t) => {
  const { browser, person } = await signedIn();
  await api.test.query(`insert into membership (id, person_id, status) values ($1, $2, 'active')`, [
    newUuid(),
    person.id,
  ]);
  const given = { action: '/member/cancel', fields: {} };
  const answer = await browser.submit('/member/cancel', given);
  t.is(arrivalOf(answer), '/member unchanged');
  t.like((await rowsOf(person.id))[0], { status: 'active', requested_change: null });
});

test('a member sees until when, cancels after being asked, and resumes', async (t) => {
  const { browser, person } = await subscribed(t);
  t.regex(await (await browser.get('/member')).text(), /Renews/);
  t.is((await browser.get(SUBSCRIBE)).headers.get('location'), '/member?reason=already_member');
  t.regex(await (await browser.get('/member/cancel')).text(), /Cancel membership/);
  const act = async (entry: string) => {
    const done = await browser.submit('/member/cancel', { action: `/member/${entry}`, fields: {} });
    return arrivalOf(done);
  };
  t.is(await act('cancel'), '/member member_cancelled');
  t.is(await act('cancel'), '/member unchanged');
  t.is((await rowsOf(person.id))[0]!.requested_change, 'cancel');
  t.is(await act('resume'), '/member member_resumed');
  t.true((await act('card')).startsWith(api.config.processor.apiUrl));
});

test('a member who cancels while a renewal fails is told that it is still tried', async (t) => {
  const { browser, membershipId } = await subscribed(t);
  await api.test.query(
    `update membership set status = 'past_due', past_due_at = gatehouse_now(),
       grace_ends_at = gatehouse_now() + interval '8 days',
       ends_at = gatehouse_now() + interval '8 days' where id = $1`,
    [membershipId],
  );
  const asked = await (await browser.get('/member/cancel')).text();
  t.regex(asked, /If we still collect the failed payment/);
  t.notRegex(asked, /You can resume anytime/);
});

test('a member opens an Included product from the library or its page; others are not there', async (t) => {
  const product = await api.seed.product({ name: 'To open', includedWithMember: true });
  const { browser } = await subscribed(t);
  t.regex(await (await browser.get('/library')).text(), /Open To open/);
  const path = `/p/${product.slug}`;
  t.regex(await (await browser.get(path)).text(), /Open with Member/);
  const open = () => browser.submit(path, { action: `/member/open/${product.slug}`, fields: {} });
  t.is(arrivalOf(await open()), `${path} member_opened`);
  t.is((await open()).headers.get('location'), path);
  const events = await api.test.query<{ name: string }>(
    'select name from event where product_id = $1',
    [product.id],
  );
  t.deepEqual(events, [{ name: 'entitlement.created' }]);
  const { browser: other } = await signedIn();
  t.notRegex(await (await other.get(path)).text(), /Open with Member/);
});

test('who is no member has nothing to cancel, resume or pay differently', async (t) => {
  const { browser } = await signedIn();
  t.is((await browser.get('/member/cancel')).status, 404);
  for (const entry of ['cancel', 'resume', 'card']) {
    const forged = { action: `/member/${entry}`, fields: {} };
    t.is((await browser.submit('/settings/profile', forged)).status, 404, entry);
  }
});

test('a currency or interval that Member is not sold in is refused with the reason', async (t) => {
  t.is(price.currency, 'USD');
  for (const query of ['currency=EUR', 'interval=week', 'currency=USD&currency=EUR']) {
    const answer = await api.request(`/member/subscribe?${query}`);
    const isLost = answer.headers.get('location') === '/member?reason=currency_not_offered';
    t.true(isLost || answer.headers.get('location') === '/sign-in', query);
    t.is(answer.status, 303);
  }
});

test('deleting the account ends Member first, here and at the processor', async (t) => {
  const { browser, membershipId } = await subscribed(t);
  const answer = await browser.submit('/settings/delete-account', {
    action: '/settings/delete-account',
    fields: { password: 'correct horse battery' },
  });
  t.is(answer.status, 303);
  const [row] = await api.test.query('select status, is_closing from membership where id = $1', [
    membershipId,
  ]);
  t.deepEqual(row, { status: 'ended', is_closing: true });
});
