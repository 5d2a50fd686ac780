import { connect } from 'node:net';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { PASSWORD } from '../../support/identity/people.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { isSignedIn, people, type Person } from './scene.ts';

const { api } = people;

const HOUR_MS = 3_600_000;
const SECURITY = '/settings/security';

const post = ({ browser }: Pick<Person, 'browser'>, path: string, fields = {}) =>
  browser.submit(SECURITY, { action: path, fields });

test.serial('signing out everywhere ends every session', async (t) => {
  const here = await people.signedIn();
  const there = await people.signedIn(here.person);
  const done = await post(here, `${SECURITY}/sign-out-everywhere`);
  t.is(arrivalOf(done), '/sign-in signed_out_everywhere');
  t.false(here.browser.cookies.has('gatehouse_session'));
  t.false(await isSignedIn(there));
});

test.serial('settings need the token of a page', async (t) => {
  const one = await people.signedIn();
  for (const path of ['/settings/profile', `${SECURITY}/sign-out-everywhere`]) {
    t.is((await post(one, path, { csrf: 'x' })).status, 403);
  }
  t.true(await isSignedIn(one));
});

test.serial(
  'sessions are listed by device, last seen to the minute, and can be ended',
  async (t) => {
    const here = await people.signedIn();
    const there = await people.signedIn(here.person);
    await api.test.advance(10 * 60_000);
    await there.browser.get('/library', {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36',
    });
    const listed = await api.test.query<{ device: string; second: number }>(
      `select id, device, extract(second from last_seen_at)::int as second from session
     where person_id = $1`,
      [here.person.id],
    );
    t.deepEqual([...new Set(listed.map(({ second }) => second))], [0]);
    const page = await (await here.browser.get(SECURITY)).text();
    t.regex(page, />This browser</);
    const [, other] = /name="session_id" value="([^"]+)"/.exec(page)!;
    const stranger = await people.signedIn();
    await post(stranger, `${SECURITY}/sessions/end`, { session_id: other! });
    t.true(await isSignedIn(there), 'only by its own person');
    const ended = await post(here, `${SECURITY}/sessions/end`, { session_id: other! });
    t.is(arrivalOf(ended), `${SECURITY} session_ended`);
    t.false(await isSignedIn(there));
    t.true(await isSignedIn(here));
    t.is((await post(here, `${SECURITY}/sessions/end`, { session_id: 'x' })).status, 400);
  },
);

/** Whose session can do harm to others, each with the statement that makes them so. */
const WITH_A_LIMIT: [who: string, sql: string][] = [
  ['operators', 'update person set is_operator = true where id = $1'],
  [
    'members of a team',
    `with made as (insert into team (id, name) values (gen_random_uuid(), 'A team') returning id)
     insert into team_member (team_id, person_id, role) select id, $1, 'viewer' from made`,
  ],
  [
    'lone builders with a listed product',
    `insert into product (id, owner_person_id, name, tagline, state, delivery, listed_at)
     values (gen_random_uuid(), $1, 'Listed', 'Is listed.', 'listed', 'affiliate', now())`,
  ],
];

for (const [who, sql] of WITH_A_LIMIT) {
  test.serial(`${who} are signed out after 12 hours without a request`, async (t) => {
    const one = await people.signedIn();
    await api.test.query(sql, [one.person.id]);
    for (let hours = 0; hours < 24; hours += 11) {
      await api.test.advance(11 * HOUR_MS);
      t.true(await isSignedIn(one));
    }
    await api.test.advance(12 * HOUR_MS + 120_000);
    t.false(await isSignedIn(one));
    t.false(await isSignedIn(one), 'having knocked does not help');
  });
}

const WITHOUT_A_LIMIT: [who: string, sql: string][] = [
  ['buyers', 'select $1::uuid'],
  [
    'members of a team that was deleted',
    `with made as (insert into team (id, name, deleted_at)
       values (gen_random_uuid(), 'A team', now()) returning id)
     insert into team_member (team_id, person_id, role) select id, $1, 'owner' from made`,
  ],
  [
    'people with a draft',
    `insert into product (id, owner_person_id, name, tagline, state, delivery)
     values (gen_random_uuid(), $1, 'Draft', 'Is a draft.', 'draft', 'affiliate')`,
  ],
];

for (const [who, sql] of WITHOUT_A_LIMIT) {
  test.serial(`${who} stay signed in for thirty days, idle or not`, async (t) => {
    const one = await people.signedIn();
    await api.test.query(sql, [one.person.id]);
    await api.test.advance(29 * 24 * HOUR_MS);
    t.true(await isSignedIn(one));
    await api.test.advance(25 * HOUR_MS);
    t.false(await isSignedIn(one));
  });
}

test.serial('a form whose end comes after the session is over changes nothing', async (t) => {
  const { browser, person } = await people.signedIn();
  const page = await (await browser.get('/settings/profile')).text();
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page) ?? [];
  const body = new URLSearchParams({ csrf, handle: 'too_late', display_name: 'Late' }).toString();
  const { hostname, port, host } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const lines = [
    'POST /settings/profile HTTP/1.1',
    `host: ${host}`,
    'connection: close',
    `cookie: gatehouse_session=${browser.cookies.get('gatehouse_session')}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`);
  const bucket = `settings:person:${person.id}`;
  const counted = () => api.test.query('select 1 from rate_window where bucket = $1', [bucket]);
  await eventually(counted, ({ length }) => length === 1);
  await api.test.query('delete from session where person_id = $1', [person.id]);
  socket.write(body.slice(9));
  t.regex(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 401 /);
  const renamed = await api.test.query(`select 1 from person where handle = 'too_late'`);
  t.deepEqual(renamed, []);
});

let lastAddress = 0;

const WRONG = 'wrong';
const failing = api.browser();

/** From an address of its own. A browser that never gets in may serve all who fail. */
async function attempt(
  email: string,
  password: string,
  address = `203.0.113.${(lastAddress += 1)}`,
) {
  const headers = { 'x-forwarded-for': address };
  const fields = { email, password };
  const browser = password === WRONG ? failing : api.browser();
  return browser.submit('/sign-in', { action: '/sign-in', fields, headers });
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
      await many(10, () => attempt(person.email, WRONG)),
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
  await many(10, () => attempt('unknown@example.com', WRONG));
  t.is((await attempt('unknown@example.com', WRONG)).status, 429);
});

test.serial('many guesses at once are no way around', async (t) => {
  const person = await api.seed.person();
  const all = await Promise.all(Array.from({ length: 20 }, () => attempt(person.email, WRONG)));
  const tried = all.filter(({ status }) => status === 422);
  t.is(tried.length, 10);
});

test.serial('a success takes the failures back, also those before it', async (t) => {
  const person = await api.seed.person();
  for (let round = 0; round < 3; round += 1) {
    await many(9, () => attempt(person.email, WRONG));
    t.is((await attempt(person.email, person.password)).status, 303);
  }
});

test.serial(
  'after 30 failures in 15 minutes an address is closed, and closes no more accounts',
  async (t) => {
    const address = '198.51.100.7';
    await many(30, async () => attempt((await api.seed.person()).email, WRONG, address));
    const person = await api.seed.person();
    const statuses = await many(12, () => attempt(person.email, WRONG, address));
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
  await attempt('someone@example.com', WRONG, '192.0.2.77');
  const rows = JSON.stringify(await api.test.query('select * from throttle'));
  t.false(/someone|192\.0\.2/.test(rows));
});
