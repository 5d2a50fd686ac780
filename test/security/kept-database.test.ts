// Objects and rules of the database that no entity declares: an ORM that generates the schema again drops
// them silently.
import { readFileSync } from 'node:fs';
import test from 'ava';
import { startApi } from '../support/http/api.ts';
import { readDatabaseObjects } from '../support/database/database-objects.ts';
import { exchange, newCode, readProfile } from '../support/identity/oauth.ts';
import { createSales } from '../support/purchases/sales.ts';
import { startTokenScene } from '../support/identity/token-scene.ts';

let log = '';
const api = await startApi({ log: (line) => void (log += line) });
const { query } = api.test;
const sales = createSales({ testDatabase: api.test, database: api.database });
const scene = await startTokenScene();
test.after.always(() => Promise.all([api.close(), scene.api.close()]));

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

test.serial(
  'a migrated database has exactly the listed triggers, functions, tables and grants',
  async (t) => {
    const list = new URL('database-objects.json', import.meta.url);
    t.deepEqual(await readDatabaseObjects(api.test), JSON.parse(readFileSync(list, 'utf8')));
  },
);

const entry = (
  amountMinor: number,
  account: string,
) => `('kept', '${account}', 'loss', ${amountMinor},
  'USD', (select id from payment limit 1))`;

const addEntries = (...entries: string[]) =>
  query(`insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
    values ${entries.join()}`);

const KEPT = ['23001', '42501'];

/** Triggers refuse these to a superuser too, whom no grant limits. */
const REFUSED = [
  `update audit set action = 'other.action'`,
  'delete from audit',
  'truncate audit',
  'update ledger_entry set amount_minor = amount_minor + 1',
  'update ledger_entry set created_at = now()',
  'delete from ledger_entry',
  'truncate ledger_entry',
  'update price set amount_minor = amount_minor + 1',
  'delete from price',
  'update usage_month set qualifying_days = 0 where qualifying_days <> 0',
];

test.serial(
  'the database refuses every change and removal of an append-only row, to a superuser too',
  async (t) => {
    const product = await api.seed.product({ prices: { USD: 1_900 } });
    await sales.paidSale(await sales.orderOf(product, api.seed));
    const { token } = await api.seed.token({ product });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"kind":"activity"}';
    t.is((await api.request('/api/v1/usage', { method: 'POST', headers, body })).status, 200);
    await query(`insert into audit (id, action, subject) values (gen_random_uuid(), 'a.b', 'x')`);
    for (const statement of REFUSED) {
      const [, table = ''] = /(?:update|from|truncate) (\w+)/.exec(statement)!;
      const before = await query(`select * from ${table}`);
      t.true(before.length > 0, table);
      const error = await t.throwsAsync(query(statement), undefined, statement);
      t.true(KEPT.includes((error as Error & { code: string }).code), statement);
      t.deepEqual(await query(`select * from ${table}`), before, statement);
    }
  },
);

test.serial(
  'a booking whose entries do not sum to zero is refused at the end of its transaction',
  async (t) => {
    const product = await api.seed.product({ prices: { USD: 1_900 } });
    await sales.paidSale(await sales.orderOf(product, api.seed));
    await t.throwsAsync(addEntries(entry(5, 'seller')), { code: '23514' });
    await t.throwsAsync(addEntries(entry(5, 'seller'), entry(-4, 'platform')), { code: '23514' });
    t.deepEqual(await query(`select 1 from ledger_entry where booking = 'kept'`), []);
    await addEntries(entry(5, 'seller'), entry(-5, 'platform'));
    t.is((await query(`select 1 from ledger_entry where booking = 'kept'`)).length, 2);
  },
);

const SECRETS = [
  's3cret',
  'hidden horse battery',
  'argon2',
  'gk_live_',
  'insert into',
  'select ',
  'Failing row',
];

test.serial(
  'a failing statement leaves neither its text nor a value in a response or in the log',
  async (t) => {
    const product = await api.seed.product();
    const { token } = await api.seed.token({ product });
    // PostgreSQL quotes the row in the message of the first error, and in the detail of the second.
    await query(`create function reveal() returns trigger language plpgsql as $$
        begin raise exception 'refused %', to_jsonb(new); end $$;
      create trigger reveal before insert on person for each row execute function reveal();
      alter table usage_month add constraint broken check (heartbeat_days = 0) not valid`);
    log = '';
    const fields = {
      email: 's3cret@example.com',
      handle: 's3cret_handle',
      display_name: 'S3cret s3cret',
      password: 'hidden horse battery',
    };
    const responses = [
      await api.browser().submit('/sign-up', { action: '/sign-up', fields }),
      await api.request('/api/v1/usage', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"kind":"heartbeat"}',
      }),
    ];
    for (const response of responses) {
      const text = (await response.text()).toLowerCase();
      t.is(response.status, 500, text.slice(0, 500));
      const id = response.headers.get('x-request-id')!;
      t.true(log.includes(id));
      for (const secret of [...SECRETS, 'constraint', token])
        t.false(text.includes(secret.toLowerCase()), secret);
    }
    t.regex(log, /request failed/);
    for (const secret of [...SECRETS, token]) {
      t.false(log.toLowerCase().includes(secret.toLowerCase()), secret);
    }
  },
);

test.serial(
  'the settings of the database server keep statements and values out of its log',
  async (t) => {
    const settings = await query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('log_min_error_statement',
       'log_error_verbosity', 'log_parameter_max_length', 'log_statement',
       'log_min_duration_statement', 'log_parameter_max_length_on_error')`,
    );
    t.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
      log_error_verbosity: 'terse',
      log_min_duration_statement: '-1',
      log_min_error_statement: 'panic',
      log_parameter_max_length: '0',
      log_parameter_max_length_on_error: '0',
      log_statement: 'none',
    });
  },
);

test.serial(
  "tokens, sessions and access end by the database's clock, never by the process's",
  async (t) => {
    const { api: at, client, product, person, browser: signedIn } = scene;
    const { access_token: token } = (await (
      await exchange(at, { client, code: await newCode(signedIn, client) })
    ).json()) as { access_token: string };
    const [row] = await at.test.query<{ now: Date }>('select gatehouse_now() as now');
    const endsAt = new Date(row!.now.getTime() + HOUR_MS);
    await at.seed.grant({ productId: product.id, personId: person.id }, { endsAt });
    const headers = { authorization: `Bearer ${product.liveKey}` };
    const isActive = async () => {
      const check = await at.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
      return ((await check.json()) as { active: boolean }).active;
    };
    const code = await newCode(signedIn, client);
    const readState = async () => ({
      token: (await readProfile(at, token)).status,
      session: (await signedIn.get('/library')).status,
      isActive: await isActive(),
    });
    t.deepEqual(await readState(), { token: 200, session: 200, isActive: true });
    await at.test.advance(HOUR_MS + MINUTE_MS);
    t.is((await exchange(at, { client, code })).status, 400);
    t.deepEqual(await readState(), { token: 200, session: 200, isActive: false });
    await at.test.advance(-HOUR_MS);
    t.true(await isActive());
    await at.test.advance(40 * DAY_MS);
    t.deepEqual(await readState(), { token: 401, session: 303, isActive: false });
    signedIn.cookies.clear();
    await signedIn.signIn(person);
    const later = await exchange(at, { client, code: await newCode(signedIn, client) });
    const { access_token: fresh } = (await later.json()) as { access_token: string };
    await at.test.advance(29 * DAY_MS);
    t.is((await readProfile(at, fresh)).status, 200, 'its 30 days began by that clock too');
    await at.test.advance(2 * DAY_MS);
    t.is((await readProfile(at, fresh)).status, 401);
  },
);
