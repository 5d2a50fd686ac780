// Several people sign up with one address; its mailbox decides which of them gets the account.
import test from 'ava';
import {
  eraseUnconfirmed,
  removeHeldHandles,
} from '../../domain/identity/sign-up/sign-up.repository.ts';
import { queueLimitedMail } from '../../domain/identity/mail/limited-mail.command.ts';
import { makeMailToken } from '../../domain/identity/mail/mail-link.ts';
import { newCredential } from '../../domain/shared/ids.ts';
import { arrivalOf } from '../support/http/arrival.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';

const limits = { account_failures: 10_000, address_failures: 10_000 };
const people = await startPeople({ host: 'localhost', limits });
const { api } = people;
const passkeys = createPasskeys(people);
test.after.always(() => api.close());

const OWN_PASSWORD = 'nine green bottles standing';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Strangers, each in a browser of its own. */
async function signUpStrangers(email: string, count: number) {
  const strangers = [];
  for (let n = 0; n < count; n += 1) strangers.push(await people.signUp({ email }));
  return strangers;
}

/** The mails of so many sign-ups, without the sign-ups. */
async function askForMails(email: string, count: number, browserOf = () => newCredential('gs_')) {
  const [row] = await api.test.query<{ id: string }>('select id from person where email = $1', [
    email,
  ]);
  const mail = { purpose: 'verify_email', personId: row!.id, address: email } as const;
  const { pool } = api.database;
  for (let n = 0; n < count; n += 1) {
    const signUpCookie = browserOf();
    await queueLimitedMail(api.database.em(), { ...mail, signUpCookie, pool });
  }
}

const signUpOwner = (email: string) => people.signUp({ email, password: OWN_PASSWORD });
const purposesTo = async (email: string) =>
  (await people.mailsTo(email)).map(({ purpose }) => purpose);
const linkOf = (mailId: string) => `/verify-email?token=${makeMailToken(people.signer, mailId)}`;
const statusOf = async (email: string, password: string) =>
  (await api.browser().signIn({ email, password })).status;
const again = (browser: ReturnType<typeof api.browser>) =>
  browser.submit('/check-mail', { action: '/check-mail', fields: {} });

test.serial(
  'an address that strangers have signed up twice still gets the mail of its owner, and again',
  async (t) => {
    const email = people.newEmail();
    await signUpStrangers(email, 2);
    const { browser } = await signUpOwner(email);
    t.deepEqual(await purposesTo(email), ['verify_email', 'verify_email', 'verify_email']);
    await api.test.advance(MINUTE_MS);
    t.is(arrivalOf(await again(browser)), '/check-mail mail_sent_again');
    t.is((await purposesTo(email)).length, 4);
  },
);

test.serial('strangers use up neither the mails of a browser, nor its Send again', async (t) => {
  const email = people.newEmail();
  const [stranger] = await signUpStrangers(email, 1);
  await askForMails(email, 5);
  for (let time = 0; time < 5; time += 1) {
    await api.test.advance(MINUTE_MS);
    await again(stranger!.browser);
  }
  const before = (await purposesTo(email)).length;
  t.is(before, 10, 'one browser gets five');
  const { browser } = await signUpOwner(email);
  t.is((await purposesTo(email)).length, before + 1);
  await api.test.advance(MINUTE_MS);
  t.is((await again(browser)).status, 303);
  t.is((await purposesTo(email)).length, before + 2);
});

test.serial('one browser asks for five mails to an address in an hour, and no more', async (t) => {
  const { email } = await signUpOwner(people.newEmail());
  const one = newCredential('gs_');
  await askForMails(email, 24, () => one);
  t.is((await purposesTo(email)).length, 6);
  await askForMails(email, 1);
  t.is((await purposesTo(email)).length, 7, 'what it may not ask for takes nothing of the others');
});

test.serial(
  'an address is not flooded, and any of the mails lets its owner in, with the own password',
  async (t) => {
    const email = people.newEmail();
    await signUpStrangers(email, 1);
    await askForMails(email, 25);
    t.is((await purposesTo(email)).length, 20);
    const { browser, handle } = await signUpOwner(email);
    const mails = await people.mailsTo(email);
    t.is(mails.length, 20);
    const page = await (await browser.get(linkOf(mails.at(-1)!.id))).text();
    t.regex(page, new RegExp(`<strong>${handle}</strong>`));
    t.notRegex(page, /data-other-browser/);
    t.is(arrivalOf(await people.follow(browser, linkOf(mails.at(-1)!.id))), '/ email_verified');
    t.regex(await (await browser.get('/settings/profile')).text(), new RegExp(handle));
    t.is(await statusOf(email, OWN_PASSWORD), 303);
    t.is(await statusOf(email, PASSWORD), 422);
    for (const { id } of mails) t.is((await api.request(linkOf(id))).status, 404);
  },
);

test.serial('what strangers made for the address opens nothing', async (t) => {
  const email = people.newEmail();
  const fields = { email, handle: 'stranger_key', display_name: 'Stranger' };
  const stranger = await passkeys.signUp(fields);
  const [other] = await signUpStrangers(email, 1);
  const { browser } = await signUpOwner(email);
  await people.follow(browser, await people.linkTo(email, 'verify_email'));
  t.is((await passkeys.signIn(stranger.authenticator)).answer.status, 422);
  t.is(await statusOf(email, PASSWORD), 422);
  const rows = await api.test.query<{ n: number }>(
    'select count(*)::int as n from person where lower(email) = $1',
    [email],
  );
  t.is(rows[0]!.n, 1);
  // Whoever made them does not learn that the address is confirmed.
  t.is((await people.signUp({ handle: other!.handle })).response.status, 422);
  await api.test.advance(7 * DAY_MS + MINUTE_MS);
  await removeHeldHandles(api.database.em());
  await eraseUnconfirmed(api.database.em());
  t.is((await people.signUp({ handle: other!.handle })).response.status, 303);
  t.is(await statusOf(email, OWN_PASSWORD), 303);
});

test.serial(
  'the link of a stranger, opened elsewhere than in the own browser, keeps no password',
  async (t) => {
    const email = people.newEmail();
    await signUpStrangers(email, 1);
    const link = await people.linkTo(email, 'verify_email');
    const { browser: own } = await signUpOwner(email);
    const browser = api.browser();
    const confirmed = await people.follow(browser, link);
    t.regex(arrivalOf(confirmed), /^\/reset-password\?token=.* email_verified$/);
    t.is(await statusOf(email, PASSWORD), 422);
    t.is(await statusOf(email, OWN_PASSWORD), 422);
    t.is((await people.follow(own, link)).status, 404);
    const reset = confirmed.headers.get('location')!;
    await people.follow(browser, reset, { password: OWN_PASSWORD });
    t.is(await statusOf(email, OWN_PASSWORD), 303);
  },
);

test.serial('a reset of the password ends all other sign-ups with the address', async (t) => {
  const email = people.newEmail();
  await signUpStrangers(email, 2);
  const mails = await people.mailsTo(email);
  const browser = api.browser();
  await browser.submit('/forgot-password', { action: '/forgot-password', fields: { email } });
  const link = await people.linkTo(email, 'reset_password');
  t.is(
    arrivalOf(await people.follow(browser, link, { password: OWN_PASSWORD })),
    '/sign-in password_reset',
  );
  t.is(await statusOf(email, OWN_PASSWORD), 303);
  t.is(await statusOf(email, PASSWORD), 422);
  const [, other] = mails;
  t.is((await people.follow(api.browser(), linkOf(other!.id))).status, 404);
});

test.serial('of two sign-ups that are confirmed at once one becomes the account', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const email = people.newEmail();
    const both = await signUpStrangers(email, 2);
    const mails = (await people.mailsTo(email)).toReversed();
    const answers = await Promise.all(
      both.map(({ browser }, index) => people.follow(browser, linkOf(mails[index]!.id))),
    );
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404]);
    const accounts = await api.test.query('select 1 from person where email = $1', [email]);
    t.is(accounts.length, 1);
  }
});

test.serial('a change of address to a contested one ends its sign-ups', async (t) => {
  const email = people.newEmail();
  await signUpStrangers(email, 1);
  const waiting = await people.linkTo(email, 'verify_email');
  const { browser, person } = await people.signedIn();
  await browser.submit('/settings/security', {
    action: '/settings/security/email',
    fields: { email, password: person.password },
  });
  const link = await people.linkTo(email, 'change_email');
  t.is(arrivalOf(await people.follow(browser, link)), '/settings/security email_changed');
  t.is((await api.request(waiting)).status, 404);
  t.is(await statusOf(email, person.password), 303);
});
