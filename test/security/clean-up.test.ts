import test from 'ava';
import { createMetrics } from '../../worker/metrics.ts';
import { createUpkeepActivities } from '../../activities/upkeep.activities.ts';
import { listen } from '../../platform/http-server.ts';
import { startApi } from '../support/http/api.ts';
import { authorizePath } from '../support/identity/oauth.ts';

const api = await startApi({ limits: { pre_session: 3 } });
test.after.always(() => api.close());
const { query } = api.test;
const { database } = api;

const COUNT = 20_000;

const ENDED: [table: string, insert: (ids: { person: string; team: string }) => string][] = [
  ['rate_window', () => `select 'b' || n, n, 1, n % 3 from series`],
  ['pre_session', () => `select hash, null, null, ended, ended from series`],
  [
    'session (token_hash, person_id, expires_at)',
    ({ person }) => `select hash, '${person}'::uuid, ended from series`,
  ],
  ['throttle', () => `select 'k' || n, 1, extract(epoch from ended) * 1000 from series`],
  [
    'passkey_challenge (cookie_hash, challenge, expires_at)',
    () => `select hash, 'c', ended from series`,
  ],
  [
    'mail_token (id, purpose, person_id, address, expires_at)',
    ({ person }) =>
      `select gen_random_uuid(), 'verify_email', '${person}'::uuid, 'a', ended from series`,
  ],
  [
    'team_invitation (id, team_id, address, role, invited_by, expires_at)',
    ({ person, team }) =>
      `select gen_random_uuid(), '${team}'::uuid, 'a' || n, 'viewer', '${person}'::uuid, ended from series`,
  ],
  [
    'pending_authorization (token_hash, client_id, person_id, redirect_uri, scope, created_at)',
    ({ person }) => `select hash, 'c', '${person}'::uuid, 'u', 'identity', ended from series`,
  ],
  [
    'authorization_code (code_hash, client_id, person_id, redirect_uri, scope, created_at)',
    ({ person }) => `select hash, 'c', '${person}'::uuid, 'u', 'identity', ended from series`,
  ],
  [
    'access_token (token_hash, client_id, person_id, scope, expires_at)',
    ({ person }) => `select hash, 'c', '${person}'::uuid, 'identity', ended from series`,
  ],
];

const nameOf = (table: string) => table.split(' ')[0]!;
const countOf = async (table: string) =>
  (await query<{ n: number }>(`select count(*)::int as n from ${nameOf(table)}`))[0]!.n;

test.serial('what 20,000 anonymous callers leave is gone after one visit', async (t) => {
  const { id: person } = await api.seed.person();
  const product = await api.seed.product();
  await query(
    `insert into oauth_client (id, product_id, kind, name) values ('c', $1, 'public', 'App')`,
    [product.id],
  );
  const [made] = await query<{ id: string }>(
    `insert into team (id, name) values (gen_random_uuid(), 'T') returning id`,
  );
  for (const [table, rowsOf] of ENDED) {
    await query(
      `with series as (
         select n, convert_to('h' || n, 'utf8') as hash, gatehouse_now() - interval '31 days' as ended
         from generate_series(1, ${COUNT}) n)
       insert into ${table} ${rowsOf({ person, team: made!.id })}`,
    );
    t.true((await countOf(table)) >= COUNT, table);
  }
  const visit = createUpkeepActivities({ database }, { maxDurationMs: Infinity });
  // One of its three parts in each minute.
  let emptied = 0;
  for (let visits = 0; visits < 9; visits += 1) {
    emptied += (await visit.removeOldRateWindows()).removed;
    await api.test.advance(20_000);
  }
  t.is(emptied, 3);
  t.deepEqual(await visit.removeEndedSessions(), { removed: 2 * COUNT });
  t.deepEqual(await visit.removeDeadAuthorizations(), { removed: 3 * COUNT });
  for (const [table] of ENDED) t.is(await countOf(table), 0, table);
});

test.serial('a visit that has no time left removes one batch of each kind', async (t) => {
  await query(
    `insert into pre_session select convert_to('h' || n, 'utf8'), null, null, now(), now() - interval '1 hour'
     from generate_series(1, ${COUNT}) n`,
  );
  const visit = createUpkeepActivities({ database }, { maxDurationMs: 0 });
  t.deepEqual(await visit.removeEndedSessions(), { removed: 5_000 });
  await query('delete from pre_session');
});

test.serial('clean-up finds ended pre-sessions by an index', async (t) => {
  const { rows: plan } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `explain select token_hash from pre_session where expires_at <= gatehouse_now() limit 5000`,
  );
  t.regex(plan.map((line) => line['QUERY PLAN']).join('\n'), /pre_session_ended/);
});

test.serial('an operator sees for how long leftovers have been over', async (t) => {
  const listener = await listen(createMetrics(database).handler, { hosts: ['127.0.0.1'], port: 0 });
  t.teardown(() => listener.close());
  const read = async (table: string) => {
    const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
    const [, value] = new RegExp(`overdue_seconds{table="${table}"} (.*)`).exec(text) ?? [];
    return Number(value);
  };
  t.is(await read('rate_window'), 0);
  t.is(await read('pre_session'), 0);
  await query(
    `insert into rate_window values ('b', floor(extract(epoch from gatehouse_now()) / 60) - 62, 1, 0)`,
  );
  await query(
    `insert into pre_session (token_hash, expires_at) values ('a', gatehouse_now() - interval '1 hour')`,
  );
  for (const table of ['rate_window', 'pre_session']) {
    const overdueS = await read(table);
    t.true(overdueS >= 3_600 && overdueS < 7_200, `${table} ${overdueS}`);
  }
  await query('delete from pre_session');
});

const kept = () => query<{ return_to: string }>('select return_to from pre_session');

test.serial('an anonymous authorize request leaves its known parameters only', async (t) => {
  await query('delete from rate_window');
  const client = await api.seed.client({ product: await api.seed.product() });
  const path = authorizePath(client, { state: 'a b' });
  for (const junk of [
    `junk=${'x'.repeat(5_000)}&cl%69ent=1&toString=1&%E0`,
    `junk=${'x'.repeat(4_000)}&more=${'y'.repeat(4_000)}&toString=1`,
  ]) {
    t.is((await api.request(`${path}&${junk}`)).status, 303);
    t.deepEqual(await kept(), [{ return_to: path }]);
    await query('delete from pre_session');
  }
});

test.serial(
  'an anonymous authorize request of more than 4 KB is refused with a page',
  async (t) => {
    const client = await api.seed.client({ product: await api.seed.product() });
    const path = authorizePath(client, { state: 'x'.repeat(4_096) });
    const refused = await api.request(path);
    t.is(refused.status, 400);
    t.regex(await refused.text(), /data-reason="too_long"/);
    t.deepEqual(await kept(), []);
    const browser = api.browser();
    await browser.signIn(await api.seed.person());
    t.is((await browser.get(path)).status, 200, 'somebody who is signed in leaves nothing');
  },
);

test.serial('one address leaves a bounded number of kept sign-ins a minute', async (t) => {
  await query('delete from rate_window');
  const answers = [];
  for (let n = 0; n < 10; n += 1) answers.push(await api.request('/console'));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
  const isKept = answers.map(({ headers }) => headers.get('set-cookie') !== null);
  const minutes = await query(`select 1 from rate_window where bucket like 'pre_session:%'`);
  t.is((await kept()).length, isKept.filter(Boolean).length);
  t.true(isKept.filter(Boolean).length <= 3 * minutes.length);
  await query('delete from pre_session');
});

test.serial('the database keeps no return address of more than 4 KB', async (t) => {
  await t.throwsAsync(
    query(`insert into pre_session (token_hash, return_to, expires_at)
      values ('a', repeat('x', 4097), gatehouse_now())`),
    { message: /pre_session_is_small/ },
  );
});
