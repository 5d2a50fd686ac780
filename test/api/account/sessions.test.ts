import { connect } from 'node:net';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { startPeople } from '../../support/identity/people.ts';
import { arrivalOf } from '../../support/http/arrival.ts';

const people = await startPeople();
const { api } = people;
test.after.always(() => api.close());

type Person = Awaited<ReturnType<typeof people.signedIn>>;

const HOUR_MS = 3_600_000;
const SECURITY = '/settings/security';

const post = ({ browser }: Pick<Person, 'browser'>, path: string, fields = {}) =>
  browser.submit(SECURITY, { action: path, fields });

const isSignedIn = async ({ browser }: Pick<Person, 'browser'>) =>
  (await browser.get('/library')).status === 200;

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
    t.regex(page, /\(this browser\)/);
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
