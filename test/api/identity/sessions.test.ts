import { connect } from 'node:net';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { startPeople } from '../../support/people.ts';

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
  t.is(done.headers.get('location'), '/sign-in?notice=signed_out_everywhere');
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
    t.regex(page, /\(this one\)/);
    const [, other] = /name="session_id" value="([^"]+)"/.exec(page)!;
    const stranger = await people.signedIn();
    await post(stranger, `${SECURITY}/sessions/end`, { session_id: other! });
    t.true(await isSignedIn(there), 'only by its own person');
    const ended = await post(here, `${SECURITY}/sessions/end`, { session_id: other! });
    t.is(ended.headers.get('location'), `${SECURITY}?notice=session_ended`);
    t.false(await isSignedIn(there));
    t.true(await isSignedIn(here));
    t.is((await post(here, `${SECURITY}/sessions/end`, { session_id: 'x' })).status, 400);
  },
);

test.serial(
  'operators are signed out after 12 hours without a request, others are not',
  async (t) => {
    const operator = await people.signedIn();
    const other = await people.signedIn();
    await api.test.query('update person set is_operator = true where id = $1', [
      operator.person.id,
    ]);
    for (let hours = 0; hours < 24; hours += 11) {
      await api.test.advance(11 * HOUR_MS);
      t.true(await isSignedIn(operator));
    }
    await api.test.advance(12 * HOUR_MS + 120_000);
    t.false(await isSignedIn(operator));
    t.false(await isSignedIn(operator), 'having knocked does not help');
    t.true(await isSignedIn(other));
  },
);

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
