import test from 'ava';
import { removeHeldHandles } from '../../domain/identity/sign-up/sign-up.repository.ts';
import { createAuthenticator } from '../support/identity/authenticator.ts';
import { createPasskeys } from '../support/identity/passkeys.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';

const people = await startPeople({ host: 'localhost' });
const { api } = people;
test.after.always(() => api.close());

const DAY_MS = 86_400_000;
const PASSKEY = '/sign-up/passkey';
const TABLES = ['person', 'passkey', 'mail_token', 'outbox', 'throttle'];

let lastNumber = 0;
const newHandle = () => `probe_${(lastNumber += 1)}`;

/** How many rows of each table a request adds. */
async function rowsAdded(work: () => Promise<unknown>) {
  const count = () => Promise.all(TABLES.map((table) => people.count(table)));
  const before = await count();
  await work();
  const after = await count();
  return Object.fromEntries(TABLES.map((table, index) => [table, after[index]! - before[index]!]));
}

/** An address that has an account, and one that has none. */
async function bothAddresses() {
  const person = await api.seed.person();
  return [person.email, people.newEmail()] as const;
}

async function signUpWithPasskey(email: string, handle = newHandle(), passkey = 'own') {
  const browser = api.browser();
  const fields = { email, handle, display_name: 'Probe' };
  const form = { action: `${PASSKEY}/options`, fields };
  const asked = await browser.submit(PASSKEY, form);
  const { challenge } = (await asked.json()) as { challenge: string };
  const authenticator = (authenticators[passkey] ??= createAuthenticator('somebody'));
  if (passkey === 'own') delete authenticators[passkey];
  const response = authenticator.register({ challenge, origin: api.url });
  return browser.submit(PASSKEY, { action: PASSKEY, fields: { ...fields, response } });
}
const authenticators: Record<string, ReturnType<typeof createAuthenticator>> = {};

const seen = async (response: Response) => ({
  status: response.status,
  location: response.headers.get('location'),
  cookies: response.headers.getSetCookie().map((cookie) => cookie.split('=')[0]),
});

for (const [how, signUp] of Object.entries({
  'a password': async (email: string, handle: string) =>
    (await people.signUp({ email, handle })).response,
  'a passkey': signUpWithPasskey,
})) {
  test.serial(
    `a handle asked for with ${how} is taken, whether or not the address is known`,
    async (t) => {
      for (const email of await bothAddresses()) {
        const handle = newHandle();
        t.is((await signUp(email, handle)).headers.get('location'), '/check-mail');
        const fields = { email: people.newEmail(), handle, display_name: 'Probe' };
        const again = await api.browser().submit(PASSKEY, { action: `${PASSKEY}/options`, fields });
        t.is(again.status, 422, email);
        t.is((await people.signUp({ handle })).response.status, 422, email);
      }
    },
  );

  test.serial(
    `a sign-up with ${how} leaves as many rows for a known address as for a new one`,
    async (t) => {
      const [known, unknown] = await bothAddresses();
      for (const round of ['first', 'second', 'third']) {
        const [one, other] = [
          await rowsAdded(() => signUp(known, newHandle())),
          await rowsAdded(() => signUp(unknown, newHandle())),
        ];
        // The first mail of its purpose opens a budget.
        t.deepEqual({ ...one, throttle: 0 }, { ...other, throttle: 0 }, round);
        t.is(one['person'], 1);
        t.is(one['outbox'], 1);
      }
      t.deepEqual(
        (await people.mailsTo(known)).map(({ purpose }) => purpose),
        ['known_address'],
      );
    },
  );
}

test.serial('a passkey offered with a known address is taken as with a new one', async (t) => {
  const [known, unknown] = await bothAddresses();
  for (const [name, email] of Object.entries({ known, unknown })) {
    t.is((await signUpWithPasskey(email, newHandle(), name)).status, 303);
    t.is((await signUpWithPasskey(people.newEmail(), newHandle(), name)).status, 400, name);
  }
});

test.serial(
  'a handle that nobody got is free again after as long as an account may wait',
  async (t) => {
    const [known] = await bothAddresses();
    const handle = newHandle();
    await signUpWithPasskey(known, handle);
    await api.test.advance(7 * DAY_MS - 60_000);
    await removeHeldHandles(api.database.em());
    t.is((await people.signUp({ handle })).response.status, 422);
    await api.test.advance(120_000);
    await removeHeldHandles(api.database.em());
    t.is((await people.signUp({ handle })).response.status, 303);
  },
);

test.serial('of two sign-ups at once with a new address both wait for its mailbox', async (t) => {
  const email = people.newEmail();
  const handles = [newHandle(), newHandle()];
  const both = await Promise.all(handles.map((handle) => people.signUp({ email, handle })));
  t.deepEqual(
    both.map(({ response }) => response.headers.get('location')),
    ['/check-mail', '/check-mail'],
  );
  const rows = await api.test.query('select email from person where handle = any($1)', [handles]);
  t.deepEqual(rows.map((row) => (row as { email: string }).email).toSorted(), [email, email]);
});

test.serial(
  'asking for a new password leaves the same rows for an address without an account',
  async (t) => {
    const [known, unknown] = await bothAddresses();
    const ask = (email: string) => async () => {
      const form = { action: '/forgot-password', fields: { email } };
      const answer = await api.browser().submit('/forgot-password', form);
      t.deepEqual(await seen(answer), {
        status: 303,
        location: '/check-mail',
        cookies: ['gatehouse_entered_address'],
      });
    };
    for (let round = 0; round < 6; round += 1) {
      const [one, other] = [await rowsAdded(ask(known)), await rowsAdded(ask(unknown))];
      t.deepEqual(one, other);
      t.is(one['mail_token'], 1);
      t.is(one['outbox'], 1);
    }
    t.is((await people.mailsTo(known)).length, 5);
    t.is((await people.mailsTo(unknown)).length, 0, 'nor is the address kept');
  },
);

test.serial(
  'asking for the address of somebody leaves the same rows as asking for a free one',
  async (t) => {
    const { browser, person } = await people.signedIn();
    const SECURITY = '/settings/security';
    const ask = (email: string) => () =>
      browser.submit(SECURITY, {
        action: `${SECURITY}/email`,
        fields: { email, password: person.password },
      });
    for (const [known, unknown] of [await bothAddresses(), await bothAddresses()]) {
      const [one, other] = [await rowsAdded(ask(known)), await rowsAdded(ask(unknown))];
      t.deepEqual({ ...one, throttle: 0 }, { ...other, throttle: 0 });
      t.is(one['mail_token'], 2, 'to the new address, and to the present one');
    }
  },
);

test.serial('what strangers make us send uses up no reset, and one notice a day', async (t) => {
  const person = await api.seed.person();
  for (let time = 0; time < 8; time += 1) await people.signUp({ email: person.email });
  const { browser } = await people.signedIn();
  const SECURITY = '/settings/security';
  const fields = { email: person.email, password: person.password };
  await browser.submit(SECURITY, { action: `${SECURITY}/email`, fields });
  const form = { action: '/forgot-password', fields: { email: person.email } };
  await api.browser().submit('/forgot-password', form);
  const purposes = async () => (await people.mailsTo(person.email)).map(({ purpose }) => purpose);
  t.deepEqual(await purposes(), ['reset_password', 'known_address']);
  await api.test.advance(DAY_MS + 60_000);
  await people.signUp({ email: person.email });
  t.deepEqual(await purposes(), ['known_address', 'reset_password', 'known_address']);
});

test.serial('a sign-in with what somebody has just signed up with tells nothing', async (t) => {
  const [known, unknown] = await bothAddresses();
  const seenOf = async (email: string) => {
    await people.signUp({ email, password: PASSWORD });
    const statuses: number[] = [];
    for (let time = 0; time < 11; time += 1) {
      statuses.push((await api.browser().signIn({ email, password: PASSWORD })).status);
    }
    await api.test.advance(16 * 60_000);
    return statuses;
  };
  const statuses = await seenOf(known);
  t.deepEqual(statuses, [...Array.from({ length: 10 }, () => 422), 429]);
  t.deepEqual(await seenOf(unknown), statuses);
});

test.serial(
  'nor does one with the passkey of a sign-up, until the address is confirmed',
  async (t) => {
    const passkeys = createPasskeys(people);
    for (const email of await bothAddresses()) {
      const fields = { email, handle: newHandle(), display_name: 'Probe' };
      const { authenticator } = await passkeys.signUp(fields);
      t.is((await passkeys.signIn(authenticator)).answer.status, 422, email);
    }
  },
);
