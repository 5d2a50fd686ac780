import test from 'ava';
import { removeProduct } from '../../../domain/catalog/listing/listing.repository.ts';
import { grantAccess } from '../../../domain/entitlements/grants/grant.repository.ts';
import { rows } from '../../../platform/database/database.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { eventually } from '../../support/eventually.ts';
import { addProduct } from '../../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const FOR_GOOD = { startsAt: null, endsAt: null };

const isSomebodyWaiting = async () => {
  const [row] = await testDatabase.query<{ n: string }>(
    `select count(*) as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row!.n) > 0;
};

test('who deletes their account at the moment of a grant is granted nothing', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const { personId: grantedBy } = await addProduct(testDatabase);
  const { personId } = await addProduct(testDatabase);
  const key = { productId, personId };
  const grant = () =>
    database.transaction((em) => grantAccess(em, key, { ...FOR_GOOD, grantedBy }));
  t.true('grantId' in (await grant()));
  const granting = await database.transaction(async (em) => {
    await rows(em, 'select 1 from person where id = ? for update', [personId]);
    const underWay = grant();
    await eventually(isSomebodyWaiting, Boolean);
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
  const { productId } = await addProduct(testDatabase);
  const { personId: grantedBy } = await addProduct(testDatabase);
  const { personId } = await addProduct(testDatabase);
  const key = { productId, personId };
  const grant = () =>
    database.transaction((em) => grantAccess(em, key, { ...FOR_GOOD, grantedBy }));
  const granting = await database.transaction(async (em) => {
    await removeProduct(em, productId);
    const underWay = grant();
    await eventually(isSomebodyWaiting, Boolean);
    return { underWay };
  });
  t.deepEqual(await granting.underWay, { refused: 'product_removed' });
  const grants = await testDatabase.query('select 1 from access_grant where product_id = $1', [
    productId,
  ]);
  t.is(grants.length, 0);
});
