import test, { type ExecutionContext } from 'ava';
import { arrivalOf } from '../../support/http/arrival.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';
import { startBuying } from '../../support/purchases/buying.ts';

const { api, sell } = await startBuying();
test.after.always(() => api.close());

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
