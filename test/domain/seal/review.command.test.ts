import test from 'ava';
import { reviewSeals } from '../../../domain/seal/review.command.ts';
import { listReviews, removeOldSealRows } from '../../../domain/seal/review.repository.ts';
import { changeState } from '../../support/catalog/lifecycle.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import {
  holdSeal,
  meetCriteria,
  missCriteria,
  readSeal,
  WEEK_MS,
} from '../../support/catalog/seals.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const { query } = testDatabase;
const review = (after: string | null = null) => reviewSeals(database, { week: null, after });

/** One product alone is listed, so that counts tell of it. */
async function onlyProduct() {
  await query(`update product set state = 'draft' where state = 'listed'`);
  return addProduct(testDatabase);
}

test.serial(
  'a seal is earned in two weeks, noticed after two failures, and lost after 60 days',
  async (t) => {
    const { productId } = await onlyProduct();
    await meetCriteria(testDatabase, productId);
    t.like(await review(), { after: null, reviewed: 1, earned: 0 });
    t.like(await readSeal(testDatabase, productId), { state: 'first_pass' });
    t.like(await review(), { reviewed: 0 }, 'a week has one review');
    t.like(await readSeal(testDatabase, productId), { state: 'first_pass' });

    await testDatabase.advance(WEEK_MS);
    t.like(await review(), { reviewed: 1, earned: 1 });
    t.like(await readSeal(testDatabase, productId), { state: 'held', failures: 0 });

    await missCriteria(testDatabase, productId);
    await testDatabase.advance(WEEK_MS);
    t.like(await review(), { reviewed: 1, noticed: 0 });
    t.like(await readSeal(testDatabase, productId), { state: 'held', failures: 1 });
    await testDatabase.advance(WEEK_MS);
    t.like(await review(), { reviewed: 1, noticed: 1 });
    for (let week = 1; week <= 8; week += 1) {
      await missCriteria(testDatabase, productId);
      await testDatabase.advance(WEEK_MS);
      t.like(await review(), { reviewed: 1, lost: 0 });
      t.like(await readSeal(testDatabase, productId), { state: 'noticed' }, `week ${week}`);
    }
    await missCriteria(testDatabase, productId);
    await testDatabase.advance(WEEK_MS);
    t.like(await review(), { reviewed: 1, lost: 1 });
    t.like(await readSeal(testDatabase, productId), { state: 'lost', loss_reason: 'review' });

    const said = await query<{ kind: string }>(
      `select kind from notification where product_id = $1 order by created_at`,
      [productId],
    );
    t.deepEqual(
      said.map(({ kind }) => kind),
      ['seal_earned', 'seal_noticed', 'seal_lost'],
    );
    const reviews = await listReviews(database.em(), productId);
    t.is(reviews.length, 13);
    t.deepEqual(
      reviews.toReversed().map(({ state }) => state),
      ['first_pass', 'held', 'held', ...Array.from({ length: 9 }, () => 'noticed'), 'lost'],
    );
    t.is(reviews[0]!.criteria.length, 9);
  },
);

test.serial('the people of a product are mailed', async (t) => {
  const { productId, personId } = await onlyProduct();
  await query(`update person set email_verified_at = now() where id = $1`, [personId]);
  await meetCriteria(testDatabase, productId);
  await review();
  await testDatabase.advance(WEEK_MS);
  await review();
  const mails = await query(
    `select purpose, expires_at - created_at = interval '7 days' as is_late
     from mail_token where person_id = $1`,
    [personId],
  );
  t.deepEqual(mails, [{ purpose: 'seal_earned', is_late: true }]);
});

test.serial('of two runs at once each product is reviewed by one', async (t) => {
  const { productId } = await onlyProduct();
  await meetCriteria(testDatabase, productId);
  const pages = await Promise.all([review(), review(), review()]);
  t.is(
    pages.reduce((sum, { reviewed }) => sum + reviewed, 0),
    1,
  );
  t.like(await readSeal(testDatabase, productId), { state: 'first_pass' });
});

test.serial(
  'pages follow each other, and a product that is not listed has no review',
  async (t) => {
    await query(`update product set state = 'draft' where state = 'listed'`);
    const made = [];
    for (let n = 0; n < 103; n += 1) made.push((await addProduct(testDatabase)).productId);
    const [unlisted, elsewhere] = made;
    await query(`update product set state = 'unlisted' where id = $1`, [unlisted]);
    await query(`update product set delivery = 'affiliate' where id = $1`, [elsewhere]);
    const first = await review();
    t.is(first.reviewed, 100);
    const second = await review(first.after);
    t.like(second, { reviewed: 1, after: null, week: first.week });
    t.is(await readSeal(testDatabase, unlisted!), null);
    t.is(await readSeal(testDatabase, elsewhere!), null);
  },
);

test.serial('an unlisted or removed product loses the seal in the same transaction', async (t) => {
  const { productId } = await onlyProduct();
  await holdSeal(testDatabase, { productId, isNoticed: true });
  await query(
    `insert into seal_appeal (id, product_id, person_id, text)
     select gen_random_uuid(), id, owner_person_id, 'But why?' from product where id = $1`,
    [productId],
  );
  await database.transaction((em) => changeState(em, productId, 'unlist'));
  t.like(await readSeal(testDatabase, productId), { state: 'lost', loss_reason: 'unlisted' });
  const [appeal] = await query(`select outcome from seal_appeal where product_id = $1`, [
    productId,
  ]);
  t.deepEqual(appeal, { outcome: 'closed' });
});

test.serial('a review that began before the product was unlisted leaves it as it is', async (t) => {
  const { productId } = await onlyProduct();
  await meetCriteria(testDatabase, productId);
  await holdSeal(testDatabase, { productId });
  const unlisting = database.transaction(async (em) => {
    await changeState(em, productId, 'unlist');
    const reviewing = review();
    return () => reviewing;
  });
  const reviewing = await unlisting;
  t.like(await reviewing(), { reviewed: 0 });
  t.like(await readSeal(testDatabase, productId), { state: 'lost' });
});

test.serial('old reviews and counts go', async (t) => {
  const { productId } = await onlyProduct();
  await query(
    `insert into seal_review (product_id, week, is_passed, criteria, state)
     select $1, (gatehouse_now() - before)::date, true, '[]', 'held'
     from unnest(array[interval '401 days', interval '399 days']) before`,
    [productId],
  );
  await query(
    `insert into integration_count (product_id, day)
     select $1, (gatehouse_now() - before)::date
     from unnest(array[interval '121 days', interval '119 days']) before`,
    [productId],
  );
  t.false(await database.transaction(removeOldSealRows));
  const [left] = await query(
    `select (select count(*)::int from seal_review where product_id = $1) as reviews,
       (select count(*)::int from integration_count where product_id = $1) as counts`,
    [productId],
  );
  t.deepEqual(left, { reviews: 1, counts: 1 });
});
