import test from 'ava';
import { PASSWORD, startPeople } from '../../support/identity/people.ts';

const people = await startPeople({ config: { isProxyTrusted: true } });
const { api } = people;
test.after.always(() => api.close());

let lastAddress = 0;
/** A browser behind an address of its own. */
async function attempt(
  email: string,
  password: string,
  address = `203.0.113.${(lastAddress += 1)}`,
) {
  const headers = { 'x-forwarded-for': address };
  const fields = { email, password };
  return api.browser().submit('/sign-in', { action: '/sign-in', fields, headers });
}

const many = async (times: number, work: () => Promise<Response>) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await work()).status);
  return statuses;
};

test.serial(
  'after 10 failures in 15 minutes an account is closed, from wherever and with whatever',
  async (t) => {
    const person = await api.seed.person();
    t.deepEqual(
      await many(10, () => attempt(person.email, 'wrong')),
      Array.from({ length: 10 }, () => 422),
    );
    const refused = await attempt(person.email.toUpperCase(), person.password);
    t.is(refused.status, 429);
    const waitS = Number(refused.headers.get('retry-after'));
    t.true(waitS > 800 && waitS <= 900);
    await api.test.advance(waitS * 1_000);
    t.is((await attempt(person.email, person.password)).status, 303);
  },
);

test.serial('an address without an account is throttled alike', async (t) => {
  await many(10, () => attempt('nobody@example.com', 'wrong'));
  t.is((await attempt('nobody@example.com', 'wrong')).status, 429);
});

test.serial('many guesses at once are no way around', async (t) => {
  const person = await api.seed.person();
  const all = await Promise.all(Array.from({ length: 20 }, () => attempt(person.email, 'wrong')));
  const tried = all.filter(({ status }) => status === 422);
  t.is(tried.length, 10);
});

test.serial('a success takes the failures back, also those before it', async (t) => {
  const person = await api.seed.person();
  for (let round = 0; round < 3; round += 1) {
    await many(9, () => attempt(person.email, 'wrong'));
    t.is((await attempt(person.email, person.password)).status, 303);
  }
});

test.serial(
  'after 30 failures in 15 minutes an address is closed, and closes no more accounts',
  async (t) => {
    let number = 0;
    const address = '198.51.100.7';
    await many(30, () => attempt(`guess_${(number += 1)}@example.com`, 'wrong', address));
    const person = await api.seed.person();
    const statuses = await many(12, () => attempt(person.email, 'wrong', address));
    t.deepEqual([...new Set(statuses)], [429]);
    t.is((await attempt(person.email, person.password)).status, 303, 'from another address');
  },
);

test.serial('guesses at the password in the settings count for their session', async (t) => {
  const { browser, person } = await people.signedIn();
  const guess = () =>
    browser.submit('/settings/security', {
      action: '/settings/security/password',
      fields: { old_password: 'wrong', new_password: PASSWORD },
      headers: { 'x-forwarded-for': `203.0.113.${(lastAddress += 1)}` },
    });
  t.deepEqual([...new Set(await many(10, guess))], [422]);
  t.is((await guess()).status, 429);
  t.is((await attempt(person.email, person.password)).status, 303);
});

test.serial('no address stands in the counters', async (t) => {
  await attempt('someone@example.com', 'wrong', '192.0.2.77');
  const rows = JSON.stringify(await api.test.query('select * from throttle'));
  t.false(/someone|192\.0\.2/.test(rows));
});
