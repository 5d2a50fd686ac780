import test from 'ava';
import { PASSWORD } from '../../support/identity/people.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { people } from './scene.ts';

const { api } = people;

type Browser = ReturnType<typeof api.browser>;

const CHECK_MAIL = '/check-mail';
const MINUTE_MS = 60_000;

const again = (browser: Browser) => browser.submit(CHECK_MAIL, { action: CHECK_MAIL, fields: {} });
const textOf = async (browser: Browser) => (await browser.get(CHECK_MAIL)).text();
const purposesTo = async (address: string) =>
  (await people.mailsTo(address)).map(({ purpose }) => purpose);

test.serial('the page shows the address and when the email may be sent again', async (t) => {
  const { browser, email } = await people.signUp();
  const page = await textOf(browser);
  t.true(page.includes(email));
  t.regex(page, /Once a minute: again in \d+ seconds?\./);
  t.regex(page, /<a href="\/sign-up">Wrong address\?<\/a>/);
  const early = await again(browser);
  t.is(early.status, 422);
  t.regex(await early.text(), /You can send it again in \d+ seconds?\./);
  t.is((await people.mailsTo(email)).length, 1);
});

test.serial('the email is sent again after a minute, at most four times an hour', async (t) => {
  const { browser, email } = await people.signUp();
  for (let time = 1; time <= 4; time += 1) {
    await api.test.advance(MINUTE_MS);
    t.is(arrivalOf(await again(browser)), '/check-mail mail_sent_again');
  }
  // The sign-up itself counts against the budget of the address.
  t.deepEqual(
    await purposesTo(email),
    Array.from({ length: 5 }, () => 'verify_email'),
  );
  await api.test.advance(MINUTE_MS);
  const refused = await again(browser);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /Try again in \d+ minutes?\./);
  t.is((await people.follow(browser, await people.linkTo(email, 'verify_email'))).status, 303);
});

test.serial('sending again tells nothing of accounts', async (t) => {
  const person = await api.seed.person();
  const seen = [];
  for (const email of [person.email, people.newEmail()]) {
    const { browser } = await people.signUp({ email });
    await api.test.advance(MINUTE_MS);
    const before = await people.count('mail_token');
    const response = await again(browser);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
    const rows = (await people.count('mail_token')) - before;
    const page = (await textOf(browser)).replaceAll(email, '').replaceAll(/\d+ seconds?/g, '');
    const said = page.replaceAll(/name="csrf" value="[^"]*"|data-wait="\d+"/g, '');
    seen.push({ status: response.status, cookies, rows, said });
  }
  t.deepEqual(seen[0], seen[1]);
  t.deepEqual(await purposesTo(person.email), ['known_address'], 'one notice a day');
});

test.serial('a reset of the password is sent again as such', async (t) => {
  const person = await api.seed.person();
  const browser = api.browser();
  const form = { action: '/forgot-password', fields: { email: person.email } };
  await browser.submit('/forgot-password', form);
  t.regex(await textOf(browser), /<a href="\/forgot-password">Wrong address\?<\/a>/);
  await api.test.advance(MINUTE_MS);
  await again(browser);
  t.deepEqual(await purposesTo(person.email), ['reset_password', 'reset_password']);
});

test.serial('a browser that has entered nothing, or forged it, is shown no address', async (t) => {
  const browser = api.browser();
  t.notRegex(await textOf(browser), /Send again/);
  const { browser: other, email } = await people.signUp();
  const name = 'gatehouse_entered_address';
  const forged = [
    other.cookies.get(name)!.replace(/.$/, '_'),
    'x',
    'x.y',
    '.',
    `${'x'.repeat(900)}.y`,
  ];
  for (const value of forged) {
    browser.cookies.set(name, value);
    t.false((await textOf(browser)).includes(email));
    const sent = await browser.submit('/forgot-password', { action: CHECK_MAIL });
    t.is(sent.headers.get('location'), '/sign-in');
  }
});

test.serial(
  'sign-in is filled in with the confirmed address, until somebody signs in',
  async (t) => {
    const { email } = await people.signUp();
    const browser = api.browser();
    const reset = await people.follow(browser, await people.linkTo(email, 'verify_email'));
    await people.follow(browser, reset.headers.get('location')!, { password: PASSWORD });
    t.regex(
      await (await browser.get('/sign-in')).text(),
      new RegExp(`name="email"\\s+value="${email}"`),
    );
    t.notRegex(await textOf(browser), /Send again/);
    await browser.signIn({ email, password: PASSWORD });
    t.is(browser.cookies.get('gatehouse_entered_address') ?? '', '');
  },
);

test.serial('whoever mistyped the address signs up again with the same handle', async (t) => {
  const person = await api.seed.person();
  for (const wrong of [people.newEmail(), person.email]) {
    const { browser, handle } = await people.signUp({ email: wrong });
    const email = people.newEmail();
    t.is(
      (await people.signUp({ handle }, api.browser())).response.status,
      422,
      'for others it is taken',
    );
    t.is((await people.signUp({ handle, email }, browser)).response.status, 303);
    t.is((await people.follow(browser, await people.linkTo(email, 'verify_email'))).status, 303);
    browser.cookies.delete('gatehouse_session');
    t.is((await people.signUp({ handle }, browser)).response.status, 422, 'confirmed, it stays');
  }
});
