import test from 'ava';
import { indexProducts } from '../../../domain/catalog/search/index-products.repository.ts';
import {
  decidePopularity,
  ratePopularity,
} from '../../../domain/product-figures/popularity.repository.ts';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { addEvidence } from '../../support/catalog/seals.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

test('popularity is the logarithm of the people', (t) => {
  t.deepEqual([0, 1, 2, 3, 6, 7, 1_000].map(decidePopularity), [0, 1, 1, 2, 2, 3, 9]);
});

test('the people with a qualified day within 30 days make a product popular, each once', async (t) => {
  const [used, before, unqualified] = [
    await addProduct(testDatabase),
    await addProduct(testDatabase),
    await addProduct(testDatabase),
  ].map(({ productId }) => productId) as [string, string, string];
  await indexProducts(database.em(), [used, before, unqualified]);
  await addEvidence(testDatabase, { productId: used, people: 7, daysBefore: [1, 2, 20] });
  await addEvidence(testDatabase, { productId: before, people: 7, daysBefore: [31, 60] });
  const unseen = { productId: unqualified, people: 7, daysBefore: [1], isQualifying: false };
  await addEvidence(testDatabase, unseen);
  await ratePopularity(database);
  const read = (id: string) =>
    testDatabase.query<{ popularity: number }>(
      'select popularity from product_search where product_id = $1',
      [id],
    );
  t.is((await read(used))[0]!.popularity, 3);
  t.is((await read(before))[0]!.popularity, 0);
  t.is((await read(unqualified))[0]!.popularity, 0);
  await changeState(database.em(), used, 'unlist');
  t.deepEqual(await read(used), []);
  await changeState(database.em(), used, 'list');
  t.is((await read(used))[0]!.popularity, 3, 'a product that is listed again is as popular');
});
