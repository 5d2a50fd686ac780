import test from 'ava';
import { readAccess } from '../../../domain/entitlements/access.query.ts';
import {
  addGrant,
  applyElapsedTime,
  lockAccess,
  storeAccess,
  type AccessKey,
  type NewGrant,
} from '../../../domain/entitlements/entitlement.repository.ts';
import { AccessGrant } from '../../../domain/entitlements/entitlement.entity.ts';
import { now } from '../../../platform/database/database.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { addProduct } from '../../support/catalog/scene.ts';

const HOUR_MS = 3_600_000;

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

/** A person and a product that nobody else uses. */
async function newKey(options: { isIncluded?: boolean } = {}): Promise<AccessKey> {
  const { productId, personId } = await addProduct(testDatabase, options);
  return { productId, personId };
}

type Timing = { startsInMs?: number; endsInMs?: number };

async function grant(key: AccessKey, source: string, timing: Timing = {}): Promise<void> {
  await database.transaction(async (em) => {
    const access = await lockAccess(em, key);
    const at = (await now(em)).getTime();
    const { startsInMs = 0, endsInMs } = timing;
    const granted: NewGrant = {
      type: 'complimentary',
      source,
      startsAt: new Date(at + startsInMs),
      endsAt: endsInMs === undefined ? null : new Date(at + endsInMs),
    };
    await addGrant(em, key, granted);
    await storeAccess(em, access, { reason: 'granted' });
  });
}

const settle = (key: AccessKey) => database.transaction((em) => applyElapsedTime(em, key));

async function eventNames(key: AccessKey): Promise<string[]> {
  const events = await testDatabase.query<{ name: string }>(
    'select name from event where product_id = $1 order by created_at, id',
    [key.productId],
  );
  return events.map(({ name }) => name);
}

// The tests share one clock, and some of them move it.
test.serial(
  'access gained announces entitlement.created once, a second source nothing',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1');
    await grant(key, 'grant_2');
    t.deepEqual(await eventNames(key), ['entitlement.created']);
    t.like(await readAccess(database.pool, key), { isActive: true, type: 'complimentary' });
  },
);

test.serial('eight changes of one access at once announce one entitlement.created', async (t) => {
  const key = await newKey();
  await Promise.all(Array.from({ length: 8 }, (_, index) => grant(key, `grant_${index}`)));
  t.deepEqual(await eventNames(key), ['entitlement.created']);
});

test.serial(
  'one source is granted once, and a refused second time leaves nothing behind',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1');
    await t.throwsAsync(grant(key, 'grant_1'));
    t.deepEqual(await eventNames(key), ['entitlement.created']);
  },
);

test.serial(
  'active accounts for ends_at at once, the event follows when the clock is settled, once',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1', { endsInMs: HOUR_MS });
    const { remainingMs } = await settle(key);
    t.true(remainingMs !== null && remainingMs > HOUR_MS - 60_000 && remainingMs <= HOUR_MS);
    await testDatabase.advance(HOUR_MS);
    t.like(await readAccess(database.pool, key), { isActive: false, type: 'complimentary' });
    t.deepEqual(await eventNames(key), ['entitlement.created']);
    t.is((await settle(key)).remainingMs, null);
    await settle(key);
    t.deepEqual(await eventNames(key), ['entitlement.created', 'entitlement.expired']);
  },
);

test.serial(
  'an expiry still owed by the clock is announced before access gained anew',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1', { endsInMs: HOUR_MS });
    await testDatabase.advance(2 * HOUR_MS);
    await grant(key, 'grant_2');
    const names = await eventNames(key);
    t.deepEqual(names, ['entitlement.created', 'entitlement.expired', 'entitlement.created']);
  },
);

test.serial(
  'a source that lasts longer than another keeps access, and nothing is announced between',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1', { endsInMs: HOUR_MS });
    await grant(key, 'grant_2', { endsInMs: 3 * HOUR_MS });
    await testDatabase.advance(2 * HOUR_MS);
    await settle(key);
    t.like(await readAccess(database.pool, key), { isActive: true, source: 'grant_2' });
    t.deepEqual(await eventNames(key), ['entitlement.created']);
  },
);

test.serial('a start that lies ahead opens access at read time when it comes', async (t) => {
  const key = await newKey();
  await grant(key, 'grant_1', { startsInMs: HOUR_MS });
  t.like(await readAccess(database.pool, key), { isActive: false, type: null });
  t.deepEqual(await eventNames(key), []);
  await testDatabase.advance(HOUR_MS);
  t.like(await readAccess(database.pool, key), { isActive: true, source: 'grant_1' });
  await settle(key);
  t.deepEqual(await eventNames(key), ['entitlement.created']);
});

test.serial('a boundary ahead wakes the entitlement actor', async (t) => {
  const key = await newKey();
  await grant(key, 'grant_1', { endsInMs: HOUR_MS });
  const messages = await testDatabase.query(
    'select workflow_type, workflow_id from outbox where workflow_id like $1',
    [`%${key.personId}`],
  );
  t.deepEqual(messages, [
    {
      workflow_type: 'entitlementLifecycle',
      workflow_id: `entitlement:${key.productId}:${key.personId}`,
    },
  ]);
});

test.serial('payload fields show the effective state, membership included', async (t) => {
  const key = await newKey({ isIncluded: true });
  await testDatabase.query(
    `insert into membership (id, person_id, status) values ($1, $2, 'active')`,
    [newUuid(), key.personId],
  );
  await grant(key, 'grant_1', { endsInMs: HOUR_MS });
  const [event] = await testDatabase.query<{ data: object }>(
    'select data from event where product_id = $1',
    [key.productId],
  );
  t.like(event?.data, { active: true, type: 'complimentary', ends_at: null });
});

/** Access that its one grant no longer gives. */
async function withdraw(key: AccessKey): Promise<void> {
  await database.transaction(async (em) => {
    const access = await lockAccess(em, key);
    await em.nativeUpdate(AccessGrant, key, { withdrawnAt: await now(em) });
    await storeAccess(em, access, { reason: 'withdrawn' });
  });
}

async function countActivations({ productId }: AccessKey): Promise<number> {
  const found = await testDatabase.query(
    'select 1 from membership_activation where product_id = $1',
    [productId],
  );
  return found.length;
}

test.serial(
  'a grant withdrawn is entitlement.canceled, and its end the instant of it',
  async (t) => {
    const key = await newKey();
    await grant(key, 'grant_1');
    await withdraw(key);
    await withdraw(key);
    t.deepEqual(await eventNames(key), ['entitlement.created', 'entitlement.canceled']);
    const [event] = await testDatabase.query<{ data: { ends_at: string } }>(
      `select data from event where product_id = $1 and name = 'entitlement.canceled'`,
      [key.productId],
    );
    t.like(event?.data, { active: false, source: 'grant_1' });
    t.true(Date.parse(event!.data.ends_at) > 0);
  },
);

test.serial(
  'where a membership keeps access the activation is recorded, and no loss is sent',
  async (t) => {
    const key = await newKey({ isIncluded: true });
    await testDatabase.query(
      `insert into membership (id, person_id, status) values ($1, $2, 'active')`,
      [newUuid(), key.personId],
    );
    await grant(key, 'grant_1');
    t.is(await countActivations(key), 0);
    await withdraw(key);
    t.is(await countActivations(key), 1);
    t.like(await readAccess(database.pool, key), { isActive: true, type: 'member' });
    await grant(key, 'grant_2', { endsInMs: HOUR_MS });
    await testDatabase.advance(2 * HOUR_MS);
    await settle(key);
    t.deepEqual(await eventNames(key), ['entitlement.created']);
    await testDatabase.query(
      `update membership set status = 'ended', ends_at = gatehouse_now() where person_id = $1`,
      [key.personId],
    );
    await settle(key);
    t.deepEqual(await eventNames(key), ['entitlement.created', 'entitlement.expired']);
  },
);

test.serial(
  'a lapsed membership, or one for a product that is not Included, gives nothing',
  async (t) => {
    const [included, other] = [await newKey({ isIncluded: true }), await newKey()];
    for (const { personId } of [included, other]) {
      await testDatabase.query(
        `insert into membership (id, person_id, status, ends_at)
       values ($1, $2, 'canceling', gatehouse_now() + interval '1 hour')`,
        [newUuid(), personId],
      );
    }
    t.like(await readAccess(database.pool, other), { isActive: false });
    t.like(await readAccess(database.pool, included), { isActive: true, type: 'member' });
    await testDatabase.advance(HOUR_MS);
    t.like(await readAccess(database.pool, included), { isActive: false, type: null });
  },
);

test.serial('a person who does not exist is answered like one without access', async (t) => {
  const { productId } = await newKey();
  const access = await readAccess(database.pool, { productId, personId: newUuid() });
  t.deepEqual(access, { isActive: false, type: null, source: null, endsAt: null });
});
