import test from 'ava';
import pg from 'pg';
import { rows } from '../../domain/platform/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPeople } from '../support/people.ts';

const people = await startPeople();
const { api } = people;
test.after.always(() => api.close());

/** What PostgreSQL shows of the statements that wait for a lock, as its log does of those that fail. */
const waiting = () =>
  api.test.query<{ query: string }>(
    `select query from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );

test("what runs in PostgreSQL shows no password hash and nobody's address", async (t) => {
  const { browser, person } = await people.signedIn();
  const keeper = new pg.Client({ connectionString: api.test.url });
  await keeper.connect();
  await keeper.query('begin');
  await keeper.query('select 1 from person where id = $1 for update', [person.id]);
  const changed = browser.submit('/settings/security', {
    action: '/settings/security/password',
    fields: { old_password: person.password, new_password: 'a new lamp in the hall' },
  });
  const shown = await eventually(waiting, (found) => found.length > 0);
  await keeper.query('rollback');
  await keeper.end();
  t.is((await changed).status, 303);
  for (const { query } of shown) {
    t.regex(query, /\$1/);
    t.false(query.includes('argon2'), query);
    t.false(query.includes(person.id) || query.includes(person.email), query);
  }
});

test('a statement that fails tells its values to no error and no log', async (t) => {
  const em = api.database.em();
  const secret = 'whsec_of_somebody';
  const fault: Error = (await t.throwsAsync(rows(em, 'select ?::text::integer', [secret])))!;
  t.false(`${fault.stack}`.includes(`'${secret}'`), 'the statement carries no value');
});
