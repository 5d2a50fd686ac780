import test from 'ava';
import { nameWindow } from '../../../domain/entitlements/authentication.repository.ts';
import type { UsageKind } from '../../../domain/usage/decide-usage.ts';
import {
  authenticateReport,
  type AuthenticatedReport,
} from '../../../domain/usage/report.repository.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../support/database.ts';
import { createSeed } from '../../support/seed.ts';
import { daysOf } from '../../support/usage.ts';

const { testDatabase, database, close } = await openTestDatabase();
const seed = createSeed(database, []);
const product = await seed.product();
test.after.always(close);

const LIMIT = 6_000;
const window = 'usage_reports';

async function signedIn(person?: { id: string }) {
  const { token, personId } = await seed.token({ product, ...(person && { person }) });
  return { token, key: { productId: product.id, personId } };
}

const days = (key: { productId: string; personId: string }) => daysOf({ test: testDatabase }, key);

type Sent = [credential: string, kind: UsageKind | null];

/** All at once, so that they share a statement. */
function sendAll(reports: Sent[], { limit = LIMIT, pool = database.pool } = {}) {
  return Promise.all(
    reports.map(([credential, kind]) =>
      authenticateReport(pool, { ...nameWindow({ credential, window }), limit, kind }),
    ),
  ) as Promise<AuthenticatedReport[]>;
}

/** The pool, and how many statements it was given. */
function watchPool() {
  const given = { statements: 0 };
  const pool = new Proxy(database.pool, {
    get(target, name) {
      if (name === 'query') given.statements += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  return { pool, given };
}

test('a report is authenticated, counted and recorded by one statement', async (t) => {
  const { token, key } = await signedIn();
  const { pool, given } = watchPool();
  const [answer] = await sendAll([[token, 'activity']], { pool });
  t.is(given.statements, 1);
  t.like(answer, { isRecorded: true, count: { n: 1 }, holder: { personId: key.personId } });
  t.like((await days(key))[0], { first_kind: 'activity', is_qualifying: true, activities: 1 });
});

test('reports that share a statement are in one row, also by two tokens', async (t) => {
  const { token, key } = await signedIn();
  const { token: other } = await signedIn({ id: key.personId });
  const kinds = ['session', 'heartbeat', 'activity'] as const;
  const reports = Array.from({ length: 24 }, (_, n): Sent => [
    n % 2 === 0 ? token : other,
    kinds[n % 3]!,
  ]);
  const { pool, given } = watchPool();
  const answers = await sendAll(reports, { pool });
  t.is(given.statements, 1);
  t.true(answers.every(({ isRecorded }) => isRecorded));
  t.deepEqual(
    answers.map(({ count }) => count.n),
    Array.from({ length: 24 }, (_, n) => 1 + Math.floor(n / 2)),
    'each token has its own window, in which each report has its turn',
  );
  const [day, ...more] = await days(key);
  t.deepEqual(more, []);
  t.like(day, { first_kind: 'session', sessions: 8, heartbeats: 8, activities: 8 });
  t.true(day!.is_qualifying);
});

test('what is over the limit is counted and not recorded', async (t) => {
  const { token, key } = await signedIn();
  const reports = Array.from({ length: 12 }, (): Sent => [token, 'heartbeat']);
  const answers = await sendAll(reports, { limit: 5 });
  t.deepEqual(
    answers.map(({ count, isRecorded }) => [count.n, isRecorded]),
    Array.from({ length: 12 }, (_, n) => [n + 1, n < 5]),
  );
  t.like((await days(key))[0], { heartbeats: 5 });
});

test('a report that cannot be read is counted, and nothing is recorded', async (t) => {
  const { token, key } = await signedIn();
  const { token: fine, key: fineKey } = await signedIn();
  const [unread, read] = await sendAll([
    [token, null],
    [fine, 'session'],
    [token, null],
  ]);
  t.like(unread, { isRecorded: false, count: { n: 1 } });
  t.true(read!.isRecorded);
  t.deepEqual(await days(key), []);
  t.is((await days(fineKey)).length, 1);
});

test("of a product's own team nothing qualifies, whoever shares the statement", async (t) => {
  const owner = await seed.person();
  await testDatabase.query('update product set owner_person_id = $1 where id = $2', [
    owner.id,
    product.id,
  ]);
  const [own, other] = [await signedIn(owner), await signedIn()];
  const answers = await sendAll([
    [other.token, 'activity'],
    [own.token, 'activity'],
    [other.token, 'activity'],
  ]);
  t.deepEqual(
    answers.map(({ holder }) => holder.isOwnTeam),
    [false, true, false],
  );
  t.like((await days(own.key))[0], { is_qualifying: false, activities: 1 });
  t.like((await days(other.key))[0], { is_qualifying: true, activities: 2 });
});

test('a caller that is not authenticated is neither counted nor recorded, and harms no other', async (t) => {
  const [gone, revoked, fine] = [await signedIn(), await signedIn(), await signedIn()];
  await testDatabase.query('update person set deleted_at = gatehouse_now() where id = $1', [
    gone.key.personId,
  ]);
  await testDatabase.query(
    'update access_token set revoked_at = gatehouse_now() where person_id = $1',
    [revoked.key.personId],
  );
  const answers = await sendAll([
    [fine.token, 'activity'],
    [gone.token, 'activity'],
    [revoked.token, 'activity'],
    [newCredential('gat_'), 'activity'],
    ['gat_truncated', 'activity'],
    [fine.token, 'activity'],
  ]);
  t.deepEqual(
    answers.map((answer) => (answer as unknown) === 'gone' || (answer && answer.isRecorded)),
    [true, true, null, null, null, true] as (boolean | null)[],
  );
  t.deepEqual([await days(gone.key), await days(revoked.key)], [[], []]);
  t.like((await days(fine.key))[0], { activities: 2 });
});
