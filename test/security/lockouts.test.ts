import test from 'ava';
import { findMail } from '../../domain/identity/mail/mail.repository.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { arrivalOf } from '../support/http/arrival.ts';

const people = await startPeople({ config: { isProxyTrusted: true } });
const { api } = people;
const strict = await startPeople({
  config: { isProxyTrusted: true },
  limits: { address_failures: 2 },
});
test.after.always(() => Promise.all([api.close(), strict.api.close()]));

type Browser = ReturnType<typeof api.browser>;
type Person = Awaited<ReturnType<typeof api.seed.person>>;

const SECURITY = '/settings/security';
const MINUTES_MS = 60_000;
const DEVICE = 'gatehouse_device';

let lastAddress = 0;
const newAddress = () => `203.0.113.${(lastAddress += 1)}`;

function attempt(
  person: Pick<Person, 'email' | 'password'>,
  { browser = api.browser(), address = newAddress() }: { browser?: Browser; address?: string } = {},
) {
  const { email, password } = person;
  const headers = { 'x-forwarded-for': address };
  return browser.submit('/sign-in', { action: '/sign-in', fields: { email, password }, headers });
}

const wrongly = ({ email }: Pick<Person, 'email'>) => ({ email, password: 'wrong' });

/** Strangers who guess, each from an address of its own, until the account takes no more. */
async function failOnPurpose(person: Pick<Person, 'email'>) {
  for (let time = 0; time < 10; time += 1) await attempt(wrongly(person));
  const last = await attempt(wrongly(person));
  if (last.status !== 429) throw new Error(`The account is still open: ${last.status}.`);
}

const forgetSession = (browser: Browser) => browser.cookies.delete('gatehouse_session');

test.serial(
  'strangers who fail on purpose shut no browser out that has signed in before',
  async (t) => {
    const { browser, person } = await people.signedIn();
    forgetSession(browser);
    await failOnPurpose(person);
    t.is((await attempt(person)).status, 429, 'a new browser has to wait');
    t.is((await attempt(person, { browser })).status, 303);
    forgetSession(browser);
    await api.test.advance(16 * MINUTES_MS);
    t.is((await attempt(person)).status, 303);
  },
);

test.serial('nor whoever shares the address of those who guess', async (t) => {
  const { browser, person } = await people.signedIn();
  forgetSession(browser);
  const address = newAddress();
  for (let time = 0; time < 31; time += 1) {
    await attempt({ email: `guess_${time}@example.com`, password: 'wrong' }, { address });
  }
  t.is((await attempt(person, { address })).status, 429);
  t.is((await attempt(person, { browser, address })).status, 303);
});

test.serial('a stolen device cookie guesses ten times and no more', async (t) => {
  const { browser, person } = await people.signedIn();
  const thief = api.browser();
  thief.cookies.set(DEVICE, browser.cookies.get(DEVICE)!);
  const statuses: number[] = [];
  for (let time = 0; time < 11; time += 1) {
    statuses.push((await attempt(wrongly(person), { browser: thief })).status);
  }
  t.deepEqual(statuses, [...Array.from({ length: 10 }, () => 422), 429]);
  t.is((await attempt(person)).status, 303, 'its owner still comes in elsewhere');
});

test.serial(
  'a device cookie that was made for another account, or by nobody, counts for nothing',
  async (t) => {
    const { browser: other } = await people.signedIn();
    const { browser, person } = await people.signedIn();
    await failOnPurpose(person);
    const own = browser.cookies.get(DEVICE)!;
    const [personId, deviceId, signature] = own.split('.');
    const [, otherDevice, otherSignature] = other.cookies.get(DEVICE)!.split('.');
    const forged = [
      other.cookies.get(DEVICE)!,
      `${personId}.${otherDevice}.${otherSignature}`,
      `${personId}.${otherDevice}.${signature}`,
      `${personId}.${deviceId}.${signature!.slice(0, -1)}`,
      `${personId}.${deviceId}.`,
      '~~~',
      'x'.repeat(2_000),
    ];
    for (const cookie of forged) {
      const thief = api.browser();
      thief.cookies.set(DEVICE, cookie);
      t.is((await attempt(person, { browser: thief })).status, 429, cookie);
    }
  },
);

test.serial('a change of password forgets all other browsers', async (t) => {
  const { browser, person } = await people.signedIn();
  const { browser: old } = await people.signedIn(person);
  forgetSession(old);
  const new_password = 'nine green bottles standing';
  const fields = { old_password: person.password, new_password };
  await browser.submit(SECURITY, { action: `${SECURITY}/password`, fields });
  forgetSession(browser);
  await failOnPurpose(person);
  const changed = { ...person, password: new_password };
  t.is((await attempt(changed, { browser: old })).status, 429);
  t.is((await attempt(changed, { browser })).status, 303);
});

test.serial('people who share a browser are both known to it', async (t) => {
  const { browser, person } = await people.signedIn();
  const { person: other } = await people.signedIn();
  forgetSession(browser);
  await browser.signIn(other);
  forgetSession(browser);
  for (const one of [person, other]) {
    await failOnPurpose(one);
    t.is((await attempt(one, { browser })).status, 303);
    forgetSession(browser);
  }
});

test.serial(
  'a person who is shut out comes in by a mail, whatever strangers do meanwhile',
  async (t) => {
    const person = await api.seed.person();
    await failOnPurpose(person);
    for (let time = 0; time < 6; time += 1) await people.signUp({ email: person.email });
    const browser = api.browser();
    const form = { action: '/forgot-password', fields: { email: person.email } };
    await browser.submit('/forgot-password', form);
    const link = await people.linkTo(person.email, 'reset_password');
    const done = await people.follow(browser, link, { password: PASSWORD });
    t.is(arrivalOf(done), '/sign-in password_reset');
    await failOnPurpose(person);
    t.is((await attempt({ ...person, password: PASSWORD }, { browser })).status, 303);
  },
);

test.serial('strangers do not shut out somebody who has just confirmed the address', async (t) => {
  const { browser, email } = await people.signUp();
  const confirmed = await people.follow(browser, await people.linkTo(email, 'verify_email'));
  t.is(arrivalOf(confirmed), '/ email_verified');
  forgetSession(browser);
  await failOnPurpose({ email });
  t.is((await attempt({ email, password: PASSWORD }, { browser })).status, 303);
});

test.serial(
  'somebody who is signed in changes password and address while strangers fail',
  async (t) => {
    const { browser, person } = await people.signedIn();
    await failOnPurpose(person);
    const email = people.newEmail();
    const asked = await browser.submit(SECURITY, {
      action: `${SECURITY}/email`,
      fields: { email, password: person.password },
    });
    t.is(asked.status, 303);
    const changed = await browser.submit(SECURITY, {
      action: `${SECURITY}/password`,
      fields: { old_password: person.password, new_password: PASSWORD },
    });
    t.is(changed.status, 303);
    const removed = await browser.submit('/settings/delete-account', {
      action: '/settings/delete-account',
      fields: { password: PASSWORD },
    });
    t.is(arrivalOf(removed), '/sign-in account_deleted');
  },
);

test.serial('a capital I with a dot opens no second counter for the same account', async (t) => {
  const person = await api.seed.person({ handle: 'nil_1' });
  await failOnPurpose(person);
  const email = person.email.replace('i', '\u0130');
  t.is((await attempt({ ...person, email })).status, 422);
  t.is((await attempt({ ...person, email: person.email.toUpperCase() })).status, 429);
});

test.serial(
  'one network of 56 bits has four times what one of 64 has, one of 48 sixteen',
  async (t) => {
    const person = await strict.api.seed.person();
    const from = (address: string, { email, password }: Pick<Person, 'email' | 'password'>) =>
      strict.api.browser().submit('/sign-in', {
        action: '/sign-in',
        fields: { email, password },
        headers: { 'x-forwarded-for': address },
      });
    for (let site = 0; site < 16; site += 1) {
      const group = (Math.floor(site / 4) * 0x100 + site).toString(16);
      const { email } = await strict.api.seed.person();
      for (const host of [1, 2]) {
        const guess = { email, password: 'wrong' };
        t.is((await from(`2001:db8:7:${group}::${host}`, guess)).status, 422);
      }
      if (site === 3) t.is((await from('2001:db8:7:99::1', person)).status, 429);
    }
    t.is((await from('2001:db8:7:9900::1', person)).status, 429);
    t.is((await from('2001:db8:8::1', person)).status, 303);
  },
);

const mailsOf = async ({ email }: Person) =>
  (await people.mailsTo(email)).map(({ purpose }) => purpose);

test.serial(
  'a sign-in with a browser that the account does not know is mailed to its owner',
  async (t) => {
    const { browser, person } = await people.signedIn();
    t.deepEqual(await mailsOf(person), [], 'the first one is no news');
    forgetSession(browser);
    await browser.signIn(person);
    t.deepEqual(await mailsOf(person), [], 'nor is a known browser');
    await api.browser().signIn(person);
    t.deepEqual(await mailsOf(person), ['new_sign_in']);
    const [queued] = await people.mailsTo(person.email);
    const mail = await findMail(api.database.em(), queued!.id);
    t.like(mail, { state: 'due', device: 'Unknown device' });
    t.regex(JSON.stringify(mail), /"createdAt":"\d{1,2} \w{3} \d{4}, \d\d:\d\d UTC"/);
    for (let time = 0; time < 8; time += 1) await api.browser().signIn(person);
    t.is((await mailsOf(person)).length, 5, 'nobody is flooded');
  },
);

test.serial(
  'nobody is mailed of a sign-in to an account whose address is not confirmed',
  async (t) => {
    const person = await api.seed.person({ isEmailVerified: false });
    await api.browser().signIn(person);
    await api.browser().signIn(person);
    t.deepEqual(await mailsOf(person), []);
  },
);

test.serial('of two first sign-ins at once neither fails', async (t) => {
  const person = await api.seed.person();
  const both = await Promise.all([attempt(person), attempt(person)]);
  t.deepEqual(
    both.map(({ status }) => status),
    [303, 303],
  );
});
