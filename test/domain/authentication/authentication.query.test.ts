import test from 'ava';
import {
  authenticateKey,
  authenticateToken,
} from '../../../domain/authentication/authentication.query.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { hashCredential, newCredential, newUuid } from '../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createSeed } from '../../support/catalog/seed.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { url } = testDatabase;
const second = openDatabase({ url, listenUrl: url, name: 'second', entities: ENTITIES });
const seed = createSeed(database, []);
const product = await seed.product();
const person = await seed.person();
await seed.grant({ productId: product.id, personId: person.id }, { source: 'pay_1' });

test.after.always(async () => {
  await second.close();
  await close();
});

const LIMIT = 600;

const newKey = (productId = product.id) => seed.key({ productId, mode: 'live' });

const authenticate = (
  credential: string,
  { accessOf = null as string | null, pool = database.pool } = {},
) => authenticateKey(pool, { credential, window: 'api_reads', accessOf });

const authenticateBearer = (credential: string, accessOf = true) =>
  authenticateToken(database.pool, { credential, window: 'api_reads', accessOf });

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow() {
  const [row] = await testDatabase.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await testDatabase.advance((row!.left + 1) * 1_000);
}

async function countWindows(): Promise<number> {
  const [row] = await testDatabase.query<{ n: number }>(
    'select count(*)::int as n from rate_window',
  );
  return row!.n;
}

// They share one clock, and some move it.
test.serial(
  'a key is authenticated with its product, its number and the access asked about',
  async (t) => {
    const key = await newKey();
    t.is((await authenticate(key, { accessOf: person.id }))?.count.n, 1);
    const answer = await authenticate(key, { accessOf: person.id });
    t.like(answer?.principal, { productId: product.id, mode: 'live' });
    t.is(answer?.count.n, 2);
    t.deepEqual(answer?.access, {
      isActive: true,
      type: 'purchase',
      source: 'pay_1',
      endsAt: null,
    });
    t.is((await authenticate(key))?.access, null, 'nothing was asked');
  },
);

test.serial(
  'of 700 requests at once over two processes exactly 600 are within the limit',
  async (t) => {
    await startWindow();
    const key = await newKey();
    const pools = [database.pool, second.pool];
    const answers = await Promise.all(
      Array.from({ length: 700 }, (_, index) => authenticate(key, { pool: pools[index % 2]! })),
    );
    const numbers = answers.map((answer) => answer!.count.n).toSorted((a, b) => a - b);
    t.deepEqual(
      numbers,
      Array.from({ length: 700 }, (_, index) => index + 1),
    );
    t.is(numbers.filter((n) => n <= LIMIT).length, LIMIT);
  },
);

test.serial(
  'many keys over two processes are counted without waiting for each other for ever',
  async (t) => {
    await startWindow();
    const keys = await Promise.all(Array.from({ length: 40 }, () => newKey()));
    const rounds = Array.from({ length: 10 }, () => [...keys, ...keys.toReversed()]).flat();
    const answers = await Promise.all(
      rounds.map((key, index) =>
        authenticate(key, { pool: index % 3 === 0 ? second.pool : database.pool }),
      ),
    );
    t.is(answers.filter((answer) => answer?.count.n === 20).length, keys.length);
  },
);

test.serial('who asks together gets the numbers of a row, in the order of asking', async (t) => {
  await startWindow();
  const [one, other] = [await newKey(), await newKey()];
  const answers = await Promise.all([one, other, one, one, other].map((key) => authenticate(key)));
  t.deepEqual(
    answers.map((answer) => answer?.count.n),
    [1, 1, 2, 3, 2],
  );
});

test.serial('a revoked key is refused while its neighbours in the statement pass', async (t) => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => newKey()));
  await testDatabase.query('update api_key set revoked_at = gatehouse_now() where key_hash = $1', [
    hashCredential(keys[2]!),
  ]);
  const answers = await Promise.all(
    [...keys, newCredential('gk_live_'), 'x'].map((key) => authenticate(key)),
  );
  t.deepEqual(
    answers.map((answer) => answer !== null),
    [true, true, false, true, true, false, false],
  );
});

test.serial(
  'one credential that wants the access of different people at once gets an answer to each',
  async (t) => {
    const key = await newKey();
    const stranger = newUuid();
    const asked = [person.id, stranger, null, person.id];
    const answers = await Promise.all(asked.map((accessOf) => authenticate(key, { accessOf })));
    t.deepEqual(
      answers.map((answer) => answer?.access?.isActive),
      [true, false, undefined, true],
    );
  },
);

test.serial(
  'a request that PostgreSQL refuses harms no neighbour and is counted nowhere',
  async (t) => {
    await startWindow();
    const keys = await Promise.all([newKey(), newKey(), newKey()]);
    const outcomes = await Promise.allSettled(
      keys.map((key, index) =>
        authenticate(key, { accessOf: index === 1 ? 'no uuid' : person.id }),
      ),
    );
    t.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const next = await Promise.all(keys.map((key) => authenticate(key)));
    t.deepEqual(
      next.map((answer) => answer?.count.n),
      [2, 1, 2],
    );
  },
);

test.serial('a caller that is not authenticated is not counted', async (t) => {
  const client = await seed.token({ product });
  await testDatabase.query('update oauth_client set deleted_at = gatehouse_now() where id = $1', [
    client.clientId,
  ]);
  const before = await countWindows();
  t.is(await authenticate(newCredential('gk_live_')), null);
  t.is(await authenticateBearer(newCredential('gat_')), null);
  t.is(await authenticateBearer(client.token), 'deleted');
  t.deepEqual(
    await Promise.all([client.token, 'gat_x'].map((token) => authenticateBearer(token))),
    ['deleted', null],
  );
  t.is(await countWindows(), before);
});

test.serial(
  "a token reads its person's access, as far as its scope and the request reach",
  async (t) => {
    await startWindow();
    const full = await seed.token({ product, person });
    const narrow = await seed.token({ product, person, scope: 'identity' });
    const [asked, unasked, beyond] = await Promise.all([
      authenticateBearer(full.token),
      authenticateBearer(full.token, false),
      authenticateBearer(narrow.token),
    ]);
    t.like(asked, { access: { isActive: true, source: 'pay_1' }, count: { n: 1 } });
    t.like(unasked, { access: null, count: { n: 2 } });
    t.like(beyond, { access: null, principal: { personId: person.id, scopes: ['identity'] } });
  },
);

test.serial('stale and member access are judged in a shared statement as alone', async (t) => {
  const included = await seed.product({ includedWithMember: true });
  const member = await seed.person();
  const row = { id: newUuid(), personId: member.id, status: 'active' as const, endsAt: null };
  await database.em().insert(Membership, row);
  const ended = await seed.person();
  const endsAt = new Date(Date.now() + 3_600_000);
  await seed.grant({ productId: included.id, personId: ended.id }, { endsAt });
  await testDatabase.advance(24 * 3_600_000);
  const answers = await Promise.all(
    [member.id, ended.id].map((accessOf) => authenticate(included.liveKey, { accessOf })),
  );
  t.like(answers[0]?.access, { isActive: true, type: 'member', endsAt: null });
  t.like(answers[1]?.access, { isActive: false, type: 'purchase', endsAt });
});
