import test from 'ava';
import { newUuid } from '../../../domain/shared/ids.ts';
import { answerAppeal, appealAgainst } from '../../../domain/seal/appeal.command.ts';
import { listAppeals } from '../../../domain/seal/appeal.repository.ts';
import { reviewSeals } from '../../../domain/seal/review.command.ts';
import { closeSeal } from '../../../domain/seal/seal.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
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

async function noticed() {
  await query(`update product set state = 'draft'`);
  const made = await addProduct(testDatabase);
  await holdSeal(testDatabase, { productId: made.productId, isNoticed: true });
  return made;
}

const appeal = (productId: string, personId: string) =>
  database.transaction((em) =>
    appealAgainst(em, { productId, teamId: null, text: 'Look again.', by: { personId, ip: null } }),
  );

async function appealed() {
  const { productId, personId } = await noticed();
  const made = await appeal(productId, personId);
  if (isRefusal(made)) throw new Error(made.refused);
  const answer = (outcome: 'restored' | 'declined') =>
    database.transaction((em) =>
      answerAppeal(em, { ...made, by: { personId, ip: null }, outcome }),
    );
  return { productId, personId, answer };
}

const review = () => reviewSeals(database, { week: null, after: null });

test.serial('of two appeals at once one is open', async (t) => {
  const { productId, personId } = await noticed();
  const made = await Promise.all([1, 2, 3].map(() => appeal(productId, personId)));
  t.is(made.filter((each) => isRefusal(each)).length, 2);
  const open = await query('select from seal_appeal where product_id = $1', [productId]);
  t.is(open.length, 1);
});

test.serial(
  'a seal that is held, and a product that is not listed, have nothing to appeal',
  async (t) => {
    const { productId, personId } = await noticed();
    await holdSeal(testDatabase, { productId });
    t.deepEqual(await appeal(productId, personId), { refused: 'nothing_to_appeal' });
    await holdSeal(testDatabase, { productId, isNoticed: true });
    await query(`update product set state = 'unlisted' where id = $1`, [productId]);
    t.deepEqual(await appeal(productId, personId), { refused: 'nothing_to_appeal' });
  },
);

test.serial(
  'a seal that was lost by unlisting has nothing to appeal after relisting',
  async (t) => {
    const { productId, personId } = await noticed();
    await query(`update product set state = 'unlisted' where id = $1`, [productId]);
    await database.transaction((em) => closeSeal(em, { productId, reason: 'unlisted' }));
    await query(`update product set state = 'listed' where id = $1`, [productId]);
    t.deepEqual(await appeal(productId, personId), { refused: 'nothing_to_appeal' });
  },
);

test.serial('of two operators one answers, and the other is told', async (t) => {
  const { productId, answer } = await appealed();
  const answers = await Promise.all([answer('restored'), answer('declined')]);
  t.is(answers.filter((each) => isRefusal(each)).length, 1);
  const isRestored = !isRefusal(answers[0]);
  t.is((await readSeal(testDatabase, productId))!.state, isRestored ? 'held' : 'noticed');
});

test.serial(
  'a restored seal is held until the next review, which goes on where it was',
  async (t) => {
    const { productId, answer } = await appealed();
    await answer('restored');
    t.like(await readSeal(testDatabase, productId), { state: 'held', restored_from: 'noticed' });
    await missCriteria(testDatabase, productId);
    await testDatabase.advance(WEEK_MS);
    t.like(await review(), { reviewed: 1, lost: 0, noticed: 0 });
    t.like(await readSeal(testDatabase, productId), { state: 'noticed', restored_from: null });
  },
);

test.serial(
  'a lost seal that was restored is lost again by a failure, and kept by a pass',
  async (t) => {
    for (const isPassed of [false, true]) {
      const { productId, personId } = await noticed();
      await query(
        `update seal set state = 'lost', loss_reason = 'review', notice_ends_at = null
       where product_id = $1`,
        [productId],
      );
      const made = await appeal(productId, personId);
      t.false(isRefusal(made));
      if (isRefusal(made)) return;
      const answer = { ...made, by: { personId, ip: null }, outcome: 'restored' } as const;
      await database.transaction((em) => answerAppeal(em, answer));
      t.like(await readSeal(testDatabase, productId), { state: 'held', restored_from: 'lost' });
      await (isPassed ? meetCriteria : missCriteria)(testDatabase, productId);
      await testDatabase.advance(WEEK_MS);
      t.like(await review(), { reviewed: 1, lost: isPassed ? 0 : 1, earned: 0 });
      t.is((await readSeal(testDatabase, productId))!.state, isPassed ? 'held' : 'lost');
    }
  },
);

test.serial('after a declined appeal there is no other one before the next review', async (t) => {
  const { productId, personId, answer } = await appealed();
  await answer('declined');
  t.deepEqual(await appeal(productId, personId), { refused: 'declined' });
  await missCriteria(testDatabase, productId);
  await testDatabase.advance(WEEK_MS);
  await review();
  t.false(isRefusal(await appeal(productId, personId)));
});

test.serial('a review that ends the notice closes the appeal', async (t) => {
  const { productId, answer } = await appealed();
  await meetCriteria(testDatabase, productId);
  await testDatabase.advance(WEEK_MS);
  await review();
  t.deepEqual(await answer('restored'), { refused: 'answered' });
  const [row] = await query('select outcome from seal_appeal where product_id = $1', [productId]);
  t.deepEqual(row, { outcome: 'closed' });
});

test.serial('the list after an appeal that is not known begins with the oldest', async (t) => {
  for (const { productId } of [await appealed(), await appealed()]) {
    await query('insert into product_slug (slug, product_id) values ($1, $2)', [
      `appealed-${productId.slice(-12)}`,
      productId,
    ]);
  }
  const list = (after: string | null) => listAppeals(database.em(), { after });
  const first = await list(null);
  t.is(first.lines.length, 2);
  t.deepEqual(await list(newUuid()), first);
  t.deepEqual((await list(first.lines[0]!.id)).lines, first.lines.slice(1));
});
