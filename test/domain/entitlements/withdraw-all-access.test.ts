import test from 'ava';
import { readAccess } from '../../../domain/entitlements/access.query.ts';
import {
  addGrant,
  lockAccess,
  storeAccess,
  type AccessKey,
} from '../../../domain/entitlements/entitlement.repository.ts';
import { closeMembershipsOf } from '../../../domain/billing/memberships/membership-billing.repository.ts';
import { withdrawAllAccess } from '../../../domain/entitlements/withdraw-all-access.repository.ts';
import { now, rows } from '../../../platform/database/database.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isSomebodyWaiting, openTestDatabase } from '../../support/engines/database.ts';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { grantAccess } from '../../../domain/entitlements/grants/grant.repository.ts';
import { eventually } from '../../support/eventually.ts';

const HOUR_MS = 3_600_000;

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

async function grant(key: AccessKey, { endsInMs = 0, startsInMs = 0, source = 'grant_1' } = {}) {
  await database.transaction(async (em) => {
    const access = await lockAccess(em, key);
    const at = (await now(em)).getTime();
    await addGrant(em, key, {
      type: 'complimentary',
      source,
      startsAt: new Date(at + startsInMs),
      endsAt: endsInMs === 0 ? null : new Date(at + endsInMs),
    });
    await storeAccess(em, access, { reason: 'granted' });
  });
}

const withdraw = (personId: string) =>
  database.transaction((em) => withdrawAllAccess(em, personId));

const eventsOf = ({ productId }: AccessKey) =>
  testDatabase.query<{ name: string; data: Record<string, unknown> }>(
    'select name, data from event where product_id = $1 order by created_at, id',
    [productId],
  );

/** One person with access to some products. */
async function withProducts(count: number) {
  const { personId } = await addProduct(testDatabase);
  const keys: AccessKey[] = [];
  for (let n = 0; n < count; n += 1) {
    const { productId } = await addProduct(testDatabase);
    keys.push({ productId, personId });
    await grant(keys[n]!);
  }
  return { personId, keys };
}

test.serial(
  'withdrawn access is inactive at once, and entitlement.canceled is sent once',
  async (t) => {
    const { personId, keys } = await withProducts(3);
    await Promise.all([withdraw(personId), withdraw(personId), withdraw(personId)]);
    for (const key of keys) {
      const access = await readAccess(database.pool, key);
      t.false(access.isActive);
      const events = await eventsOf(key);
      t.deepEqual(
        events.map(({ name }) => name),
        ['entitlement.created', 'entitlement.canceled'],
      );
      const { data } = events[1]!;
      t.like(data, { active: false, user_id: personId, source: 'grant_1' });
      t.is(data['ends_at'], access.endsAt!.toISOString());
    }
  },
);

test.serial('what has ended or has not begun is announced no more', async (t) => {
  const { keys, personId } = await withProducts(1);
  const [key] = keys as [AccessKey];
  await grant(key, { startsInMs: HOUR_MS, source: 'grant_2' });
  await withdraw(personId);
  await testDatabase.advance(2 * HOUR_MS);
  t.false((await readAccess(database.pool, key)).isActive);
  await withdraw(personId);
  t.is((await eventsOf(key)).length, 2);
});

test.serial('more products than one batch are all withdrawn', async (t) => {
  const { personId, keys } = await withProducts(101);
  await withdraw(personId);
  const rest = await Promise.all(keys.map((key) => readAccess(database.pool, key)));
  t.true(rest.every(({ isActive }) => !isActive));
});

test.serial('a membership that ends first does not keep the announced access active', async (t) => {
  const { productId, personId } = await addProduct(testDatabase, { isIncluded: true });
  await testDatabase.query(
    `insert into membership (id, person_id, status) values ($1, $2, 'active')`,
    [newUuid(), personId],
  );
  await grant({ productId, personId });
  await database.transaction(async (em) => {
    await closeMembershipsOf(em, personId);
    await withdrawAllAccess(em, personId);
  });
  const events = await eventsOf({ productId, personId });
  t.like(events.at(-1), { name: 'entitlement.canceled', data: { active: false } });
});

test.serial('access of other people stays', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  const { personId: other } = await addProduct(testDatabase);
  await grant({ productId, personId });
  await grant({ productId, personId: other });
  await withdraw(personId);
  t.true((await readAccess(database.pool, { productId, personId: other })).isActive);
});

const FOR_GOOD = { startsAt: null, endsAt: null };

async function grantScene() {
  const { productId } = await addProduct(testDatabase);
  const { personId: grantedBy } = await addProduct(testDatabase);
  const { personId } = await addProduct(testDatabase);
  const key = { productId, personId };
  const grantOne = () =>
    database.transaction((em) => grantAccess(em, key, { ...FOR_GOOD, grantedBy }));
  return { ...key, grantOne };
}

test('who deletes their account at the moment of a grant is granted nothing', async (t) => {
  const { personId, grantOne } = await grantScene();
  t.true('grantId' in (await grantOne()));
  const granting = await database.transaction(async (em) => {
    await rows(em, 'select 1 from person where id = ? for update', [personId]);
    const underWay = grantOne();
    await eventually(() => isSomebodyWaiting(testDatabase), Boolean);
    await rows(em, 'update person set deleted_at = gatehouse_now() where id = ?', [personId]);
    return { underWay };
  });
  t.deepEqual(await granting.underWay, { refused: 'person_deleted' });
  const grants = await testDatabase.query('select 1 from access_grant where person_id = $1', [
    personId,
  ]);
  t.is(grants.length, 1);
});

test('a product that is removed at the moment of a grant is granted to nobody', async (t) => {
  const { productId, grantOne } = await grantScene();
  const granting = await database.transaction(async (em) => {
    await changeState(em, productId, 'remove');
    const underWay = grantOne();
    await eventually(() => isSomebodyWaiting(testDatabase), Boolean);
    return { underWay };
  });
  t.deepEqual(await granting.underWay, { refused: 'product_removed' });
  const grants = await testDatabase.query('select 1 from access_grant where product_id = $1', [
    productId,
  ]);
  t.is(grants.length, 0);
});
