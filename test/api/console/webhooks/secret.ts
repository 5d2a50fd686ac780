import test from 'ava';
import type { Browser } from '../../../support/pages/browser.ts';
import { readSecrets } from '../../../support/webhooks/endpoints.ts';
import { isSignedBy, startReceiver } from '../../../support/webhooks/receiver.ts';
import { endpoints } from './endpoint.scene.ts';

const { api, browser, press, newProduct, add, endpointRow, auditOf } = endpoints;

const DAY_MS = 86_400_000;

/** Presses the page's own button: it names the secret that the page was about. */
async function rotate(path: string, windowDays = '1', page?: string) {
  const shown = page ?? (await (await browser.get(path)).text());
  const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(shown) ?? [];
  return press(`${path}/rotate`, { replaces, window_days: windowDays });
}

/** What the page shows that a form leads to. */
const secretsAfter = async (response: Response, by = browser) =>
  readSecrets(await (await by.follow(response)).text());

const show = async (path: string, by?: Browser) =>
  secretsAfter(await press(`${path}/secret`, {}, by), by);

test.serial(
  'the secret is shown on demand, kept by nobody, and that is written down',
  async (t) => {
    const { path, id } = await newProduct();
    const made = await add(path);
    const response = await browser.follow(await press(`${made.path}/secret`));
    t.is(response.status, 200);
    t.is(response.headers.get('cache-control'), 'no-store');
    t.deepEqual(readSecrets(await response.text()), { secret: made.secret, previous: null });
    t.is((await browser.get(`${made.path}/secret`)).status, 405, 'it has no address of its own');
    const actions = (await auditOf(id)).map(({ action }) => action);
    t.deepEqual(actions, ['endpoint.created', 'endpoint.secret_shown']);
  },
);

for (const role of ['owner', 'admin', 'developer', 'finance', 'viewer'] as const) {
  const may = ['owner', 'admin', 'developer'].includes(role);
  test.serial(
    `the secret of a team's endpoint is ${may ? '' : 'not '}shown to: ${role}`,
    async (t) => {
      const { path, id } = await newProduct();
      const { secret, ...made } = await add(path);
      const member = await api.seed.person({ isBuilder: true });
      const [team] = await api.test.query<{ id: string }>(
        `with t as (insert into team (id, name) values (gen_random_uuid(), 'T') returning id),
         m as (insert into team_member (team_id, person_id, role) select id, $1, $2 from t)
       select id from t`,
        [member.id, role],
      );
      await api.test.query(
        'update product set owner_person_id = null, owner_team_id = $1 where id = $2',
        [team!.id, id],
      );
      const theirs = api.browser();
      await theirs.signIn(member);
      const page = await (await theirs.get(made.path)).text();
      t.true(page.includes('example.com'), 'all of them see the endpoint');
      t.is(page.includes('Show secret'), may);
      t.is((await show(made.path, theirs)).secret, may ? secret : '');
      const encrypted = (await endpointRow(made.endpointId)).encrypted_secret;
      const rotated = await press(
        `${made.path}/rotate`,
        { replaces: 'x', window_days: '1' },
        theirs,
      );
      t.false((await rotated.text()).includes(secret));
      t.is((await endpointRow(made.endpointId)).encrypted_secret, encrypted);
      const shown = (await auditOf(id)).filter(({ action }) => action === 'endpoint.secret_shown');
      t.is(shown.length, may ? 1 : 0);
    },
  );
}

test.serial('during rotation the old secret signs too, and not a second longer', async (t) => {
  const { path } = await newProduct();
  const receiver = await startReceiver();
  const made = await add(path, { url: receiver.url });
  const sending = endpoints.startSending();
  t.teardown(() => Promise.all([sending.stop(), receiver.close()]));
  const fresh = await secretsAfter(await rotate(made.path, '1'));
  t.not(fresh.secret, made.secret);
  t.is(fresh.previous, made.secret);
  const until = (await endpointRow(made.endpointId)).previous_until!.getTime();
  const deliver = async (many: number) => {
    await press(`${made.path}/test`);
    sending.wake();
    await endpoints.untilSent(made.endpointId, many);
    const { rawBody, headers } = receiver.hits.at(-1)!;
    const signed = (secret: string, name: string) =>
      isSignedBy(secret, { rawBody, signature: headers[name]?.toString() });
    return {
      isSignedNow: signed(fresh.secret, 'service-signature'),
      isSignedBefore: signed(made.secret, 'service-signature-previous'),
      hasPrevious: headers['service-signature-previous'] !== undefined,
    };
  };
  const both = { isSignedNow: true, isSignedBefore: true, hasPrevious: true };
  t.deepEqual(await deliver(1), both);
  const clock = await readClock();
  t.teardown(() => api.test.query(clock));
  await stopClock(until - 1_000);
  t.deepEqual(await deliver(2), both);
  await stopClock(until);
  t.deepEqual(await deliver(3), { isSignedNow: true, isSignedBefore: false, hasPrevious: false });
  t.is((await show(made.path)).previous, null);
});

/** Stops the clock of this database at an instant; the builder is here then. */
async function stopClock(atMs: number): Promise<void> {
  await api.test.query(
    `create or replace function gatehouse_now() returns timestamptz language sql stable parallel safe
     as $$ select '${new Date(atMs).toISOString()}'::timestamptz $$`,
  );
  await endpoints.signInAgain();
}

/** As it was made for every test. */
async function readClock(): Promise<string> {
  const [row] = await api.test.query<{ made: string }>(
    `select pg_get_functiondef('gatehouse_now'::regproc) as made`,
  );
  return row!.made;
}

test.serial('a window of nothing ends the old secret at once', async (t) => {
  const { path } = await newProduct();
  const made = await add(path);
  const { previous } = await secretsAfter(await rotate(made.path, '0'));
  t.is(previous, null);
  const row = await endpointRow(made.endpointId);
  t.like(row, { previous_encrypted_secret: null, previous_until: null });
});

test.serial('a second rotation inside the window replaces the previous secret', async (t) => {
  const { path } = await newProduct();
  const first = await add(path);
  const second = await secretsAfter(await rotate(first.path, '7'));
  t.regex(await (await browser.get(first.path)).text(), /that\s+stops\s+immediately/);
  const third = await secretsAfter(await rotate(first.path, '2'));
  t.is(third.previous, second.secret);
  const until = (await endpointRow(first.endpointId)).previous_until!.getTime();
  const [row] = await api.test.query<{ now: Date }>('select gatehouse_now() as now');
  t.true(until - row!.now.getTime() <= 2 * DAY_MS);
});

test.serial('of many clicks one rotates, so that no secret in use is lost', async (t) => {
  const { path, id } = await newProduct();
  const made = await add(path);
  const page = await (await browser.get(made.path)).text();
  const clicks = await Promise.all(Array.from({ length: 6 }, () => rotate(made.path, '1', page)));
  const statuses = clicks.map(({ status }) => status).toSorted();
  t.deepEqual(statuses, [303, 422, 422, 422, 422, 422]);
  t.is((await show(made.path)).previous, made.secret);
  const rotated = (await auditOf(id)).filter(({ action }) => action === 'endpoint.secret_rotated');
  t.is(rotated.length, 1);
});

test.serial('other windows than 0 to 7 days are refused', async (t) => {
  const { path } = await newProduct();
  const made = await add(path);
  for (const days of ['', '8', '-1', '1.5', 'x']) t.is((await rotate(made.path, days)).status, 400);
  t.is((await endpointRow(made.endpointId)).previous_encrypted_secret, null);
});
