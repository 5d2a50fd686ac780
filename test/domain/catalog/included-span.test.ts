import test from 'ava';
import { switchIncluded } from '../../../domain/catalog/product-lifecycle.repository.ts';
import { eventually } from '../../support/eventually.ts';
import { isSomebodyWaiting, openTestDatabase } from '../../support/engines/database.ts';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { addProduct } from '../../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
const { query } = testDatabase;

const DAY_MS = 86_400_000;
const TIMEOUT_MS = 20_000;

type Span = { started_at: Date; ended_at: Date | null };

const spansOf = (productId: string) =>
  query<Span>('select started_at, ended_at from included_span where product_id = $1 order by id', [
    productId,
  ]);

const turn = (productId: string, isIncluded: boolean) =>
  database.transaction((em) => switchIncluded(em, { productId, isIncluded }));

const isOrdered = ({ started_at, ended_at }: Span) => ended_at === null || ended_at >= started_at;

const isWaiting = () => isSomebodyWaiting(testDatabase);

test.serial('a product that was never Included has no span', async (t) => {
  const { productId } = await addProduct(testDatabase);
  await turn(productId, false);
  await query(`update product set name = 'Other' where id = $1`, [productId]);
  t.deepEqual(await spansOf(productId), []);
});

test.serial('a product that is made Included has an open span from its beginning', async (t) => {
  const { productId } = await addProduct(testDatabase, { isIncluded: true });
  const [span, ...others] = await spansOf(productId);
  t.deepEqual(others, []);
  t.is(span!.ended_at, null);
  const [{ created_at }] = (await query('select created_at from product where id = $1', [
    productId,
  ])) as [{ created_at: Date }];
  t.deepEqual(span!.started_at, created_at);
});

test.serial('on, off and on again are two spans with a gap', async (t) => {
  const { productId } = await addProduct(testDatabase);
  for (const isIncluded of [true, false, true]) {
    await turn(productId, isIncluded);
    await testDatabase.advance(DAY_MS);
  }
  const [first, second, ...others] = await spansOf(productId);
  t.deepEqual(others, []);
  const length = first!.ended_at!.getTime() - first!.started_at.getTime();
  t.true(length >= DAY_MS && length < 2 * DAY_MS);
  t.true(second!.started_at.getTime() - first!.ended_at!.getTime() >= DAY_MS);
  t.is(second!.ended_at, null);
});

test.serial(
  'a click that changes nothing, and other changes of a product, write no span',
  async (t) => {
    const { productId } = await addProduct(testDatabase, { isIncluded: true });
    const before = await spansOf(productId);
    t.deepEqual(await turn(productId, true), { refused: 'unchanged' });
    await query(
      `update product set name = 'Other', included_with_member = true, state = 'unlisted' where id = $1`,
      [productId],
    );
    t.deepEqual(await spansOf(productId), before);
  },
);

test.serial('a removed product is not Included any more', async (t) => {
  const { productId } = await addProduct(testDatabase, { isIncluded: true });
  await database.transaction((em) => changeState(em, productId, 'remove'));
  const spans = await spansOf(productId);
  t.is(spans.length, 1);
  t.true(spans[0]!.ended_at instanceof Date);
  t.deepEqual(await turn(productId, true), { refused: 'unchanged' });
  t.deepEqual(await spansOf(productId), spans);
});

test.serial('of two switches at once in one direction one writes a span', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const answers = await Promise.all([1, 2, 3].map(() => turn(productId, true)));
  t.is(answers.filter((answer) => 'refused' in answer).length, 2);
  t.is((await spansOf(productId)).length, 1);
});

test.serial('a removal that has waited for the switch ends its span', async (t) => {
  const { productId } = await addProduct(testDatabase);
  let removed: Promise<unknown> | undefined;
  await database.transaction(async (em) => {
    await switchIncluded(em, { productId, isIncluded: true });
    removed = database.transaction((other) => changeState(other, productId, 'remove'));
    await eventually(isWaiting, Boolean, TIMEOUT_MS);
  });
  t.deepEqual(await removed, { before: 'listed' });
  const [span, ...others] = await spansOf(productId);
  t.deepEqual(others, []);
  t.true(span!.ended_at !== null && isOrdered(span!));
});

test.serial('no span ends before its start, even where the clock went back', async (t) => {
  const { productId } = await addProduct(testDatabase, { isIncluded: true });
  await testDatabase.advance(-DAY_MS);
  await turn(productId, false);
  await testDatabase.advance(DAY_MS);
  t.true((await spansOf(productId)).every((span) => span.ended_at !== null && isOrdered(span)));
});

test.serial('a switch that is rolled back leaves no span', async (t) => {
  const { productId } = await addProduct(testDatabase);
  await t.throwsAsync(
    database.transaction(async (em) => {
      await switchIncluded(em, { productId, isIncluded: true });
      throw new Error('rolled back');
    }),
  );
  t.deepEqual(await spansOf(productId), []);
});

test.serial('many products that are switched by one statement each have their span', async (t) => {
  const made = await Promise.all([1, 2, 3].map(() => addProduct(testDatabase)));
  const ids = made.map(({ productId }) => productId);
  await query('update product set included_with_member = true where id = any($1)', [ids]);
  await query('update product set included_with_member = false where id = any($1)', [ids]);
  for (const id of ids) {
    const spans = await spansOf(id);
    t.is(spans.length, 1);
    t.true(spans[0]!.ended_at instanceof Date);
  }
});
