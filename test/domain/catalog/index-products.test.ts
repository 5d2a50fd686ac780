import test from 'ava';
import { changeProfile } from '../../../domain/identity/profile.command.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

test('a maker with more products than one statement has parameters for is renamed', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const [owner] = await testDatabase.query<{ id: string; handle: string }>(
    `select p.id, p.handle from product join person p on p.id = owner_person_id
     where product.id = $1`,
    [productId],
  );
  const { id: personId, handle } = owner!;
  await testDatabase.query(
    `insert into product (id, name, tagline, state, delivery, owner_person_id, listed_at)
     select gen_random_uuid(), 'Tide ' || n, '', 'listed', 'entitlement_api', $1, now()
     from generate_series(1, 5500) n`,
    [personId],
  );
  const profile = { personId, handle, displayName: 'Zephyrine' };
  t.deepEqual(await changeProfile(database.em(), profile), { changed: true });
  const [found] = await testDatabase.query<{ n: number }>(
    `select count(*)::int as n from product_search where words @@ 'zephyrine'`,
  );
  t.is(found!.n, 5_501);
});
