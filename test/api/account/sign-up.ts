import test from 'ava';
import { people } from './scene.ts';

const { api } = people;

const good = {
  email: 'Zoe@Example.com',
  handle: 'zoe_1',
  display_name: 'Zoë',
  password: 'a quiet lamp in the hall',
};

async function raw(body: string) {
  const browser = api.browser();
  const page = await (await browser.get('/sign-up')).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!;
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  return api.request('/sign-up', { method: 'POST', body: `csrf=${csrf}&${body}`, headers });
}

const rowsOf = async () => [await people.count('person'), await people.count('mail_token')];

test.serial(
  'an account begins unconfirmed, without a session, its password as a hash',
  async (t) => {
    const { browser, response } = await people.signUp(good);
    t.is(response.status, 303);
    t.false(browser.cookies.has('gatehouse_session'));
    const [row] = await api.test.query<Record<string, string>>(
      `select * from person where handle = 'zoe_1'`,
    );
    t.like(row, { email: 'Zoe@Example.com', display_name: 'Zoë', email_verified_at: null });
    t.regex(row!['password_hash']!, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  },
);

const BAD: Record<string, [string, string]> = {
  'an address that is none': ['email', 'zoe'],
  'an address of 10 kB': ['email', `${'x'.repeat(10_000)}@b.co`],
  'a handle with capital umlauts': ['handle', 'ZÖE'],
  'a handle of 10 kB': ['handle', 'x'.repeat(10_000)],
  'a display name of 10 kB': ['display_name', 'x'.repeat(10_000)],
  'a display name that turns the text around': ['display_name', 'a\u202eb'],
  'an empty display name': ['display_name', ' '],
  'a short password': ['password', 'short'],
  'a common password': ['password', 'qwertyuiop123'],
  'a password of 10 kB': ['password', 'x y'.repeat(3_500)],
  'the own handle as a password': ['password', 'newcomer_x_123'],
};

for (const [what, [name, value]] of Object.entries(BAD)) {
  test.serial(`${what} is refused in place and writes nothing`, async (t) => {
    const before = await rowsOf();
    const handle = name === 'password' ? { handle: 'newcomer_x_1' } : {};
    const { response } = await people.signUp({ ...handle, [name]: value });
    t.is(response.status, 422);
    const page = await response.text();
    t.regex(page, new RegExp(`name="${name}"[^>]*aria-invalid="true"`));
    t.true(page.length < 20_000);
    t.deepEqual(await rowsOf(), before);
  });
}

const rest = 'handle=abc_1&display_name=A&password=a+quiet+lamp+in+the+hall';
const UNREADABLE: Record<string, string> = {
  'a missing field': 'handle=abc&display_name=A',
  'a repeated field': `email=a@b.co&email=c@d.co&${rest}`,
  'an array': `email[]=a@b.co&${rest}`,
  'a NUL': `email=a%00@b.co&${rest}`,
  'a lone surrogate': `email=a%ED%A0%80@b.co&${rest}`,
  'bytes that are no UTF-8': `email=a%FF@b.co&${rest}`,
  'half an escape': `email=a%4&${rest}`,
};

for (const [what, body] of Object.entries(UNREADABLE)) {
  test.serial(`${what} is 400 and writes nothing`, async (t) => {
    const before = await rowsOf();
    t.is((await raw(body)).status, 400);
    t.deepEqual(await rowsOf(), before);
  });
}

test.serial('a handle that somebody has is refused in place', async (t) => {
  const person = await api.seed.person();
  const before = await rowsOf();
  const { response } = await people.signUp({ handle: person.handle.toUpperCase() });
  t.is(response.status, 422);
  t.regex(await response.text(), /This handle is taken/);
  t.deepEqual(await rowsOf(), before);
});

test.serial('of two sign-ups at once with one handle, one gets it', async (t) => {
  const both = ['one', 'two'].map((email) =>
    people.signUp({ handle: 'contested', email: `${email}@contested.example.com` }),
  );
  const statuses = (await Promise.all(both)).map(({ response }) => response.status);
  t.deepEqual(statuses.toSorted(), [303, 422]);
});

test.serial('a known address gets the same answer, and one mail a day', async (t) => {
  const person = await api.seed.person();
  for (let tries = 0; tries < 8; tries += 1) {
    const { response } = await people.signUp({ email: person.email });
    t.is(response.status, 303);
    t.is(response.headers.get('location'), '/check-mail');
  }
  const mails = await people.mailsTo(person.email);
  t.deepEqual(
    mails.map(({ purpose }) => purpose),
    ['known_address'],
  );
  await api.test.advance(24 * 3_600_000 + 60_000);
  await people.signUp({ email: person.email });
  t.is((await people.mailsTo(person.email)).length, 2);
});

test.serial(
  'opening the link of a mail changes nothing; pressing its button does, once',
  async (t) => {
    const { email, browser } = await people.signUp();
    const link = await people.linkTo(email, 'verify_email');
    const read = async () =>
      (
        await api.test.query<{ at: Date | null }>(
          'select email_verified_at as at from person where email = $1',
          [email],
        )
      )[0]!.at;
    for (const method of ['GET', 'HEAD']) {
      t.is((await api.request(link, { method })).status, 200);
    }
    t.is(await read(), null);
    const both = await Promise.all([
      people.follow(browser, link),
      people.follow(api.browser(), link),
    ]);
    t.deepEqual(both.map(({ status }) => status).toSorted(), [303, 404]);
    t.truthy(await read());
    t.is((await api.request(link)).status, 404);
  },
);

test.serial('a verification link works for 24 hours', async (t) => {
  const [early, late] = [await people.signUp(), await people.signUp()];
  const links = [
    await people.linkTo(early.email, 'verify_email'),
    await people.linkTo(late.email, 'verify_email'),
  ];
  await api.test.advance(24 * 3_600_000 - 60_000);
  t.is((await people.follow(early.browser, links[0]!)).status, 303);
  await api.test.advance(120_000);
  t.is((await people.follow(late.browser, links[1]!)).status, 404);
});

test.serial('a token that was not made by us, or for something else, opens nothing', async (t) => {
  const { email } = await people.signUp();
  const link = await people.linkTo(email, 'verify_email');
  const tampered = [
    `${link}x`,
    link.slice(0, -1),
    link.replace('token=', 'token=0'),
    '/verify-email',
  ];
  for (const wrong of [...tampered, '/verify-email?token=%00', '/verify-email?token=a&token=b']) {
    t.is((await api.request(wrong)).status, 404, wrong);
  }
  const asReset = link.replace('/verify-email', '/reset-password');
  t.is((await api.request(asReset)).status, 404);
});
