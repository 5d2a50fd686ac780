import test from 'ava';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createSales } from '../../../support/purchases/sales.ts';

const { testDatabase, database, close } = await openTestDatabase();
const {
  newSale,
  paidSale,
  settle,
  eventNames,
  dispute,
  rowOf,
  ask,
  fenceFor,
  tell,
  paymentOf,
  isActive,
  balances,
} = createSales({ testDatabase, database });
test.after.always(close);

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

test('an intent beyond what is refundable is refused, also of many at once', async (t) => {
  const sale = await paidSale();
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(sale, 700)));
  t.is(answers.filter((answer) => 'isNew' in answer).length, 2);
  t.is(answers.filter((answer) => 'refused' in answer && answer.refused === 'too_much').length, 6);
  t.deepEqual(await ask(sale, 501), { refused: 'too_much' });
  t.deepEqual(await ask(sale, 500), { isNew: true });
});

test('a form that is sent twice asks for one refund', async (t) => {
  const sale = await paidSale();
  const id = newPublicId('re_');
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(sale, 100, id)));
  t.is(answers.filter((answer) => 'isNew' in answer && answer.isNew).length, 1);
  t.is((await fenceFor(sale)).intents.length, 1);
  t.true('refused' in (await ask(await newSale(), 100, id)));
});

test('the id of a refund of one purchase asks for none of another, also of many at once', async (t) => {
  const sales = await Promise.all([1, 2, 3, 4].map(() => paidSale()));
  const id = newPublicId('re_');
  const answers = await Promise.all(sales.map((sale) => ask(sale, 100, id)));
  t.is(answers.filter((answer) => 'isNew' in answer && answer.isNew).length, 1);
  t.is(answers.filter((answer) => 'refused' in answer).length, 3);
});

test('refundable = gross - refunded - disputed: of a disputed payment nothing is sent back twice', async (t) => {
  const sale = await paidSale();
  await dispute(sale, { status: 'warning', amountMinor: 1_900 });
  t.deepEqual(await ask(sale, 100), { isNew: true });
  await dispute(sale, { status: 'open', amountMinor: 1_400 });
  t.deepEqual(await ask(sale, 401), { refused: 'too_much' });
  t.deepEqual(await ask(sale, 400), { isNew: true });
});

test('a refund asked for while the money is under way waits until it has come', async (t) => {
  const sale = await newSale();
  await settle(sale, { status: 'clearing' });
  t.deepEqual(await ask(sale, 1_900), { isNew: true });
  t.deepEqual((await fenceFor(sale)).intents, []);
  await settle(sale);
  t.is((await fenceFor(sale)).intents.length, 1);
});

test('a refund asked for while the money is under way is canceled when it does not come', async (t) => {
  const sale = await newSale();
  await settle(sale, { status: 'clearing' });
  await ask(sale, 1_900);
  await settle(sale, { status: 'failed' });
  const { id } = await paymentOf(sale);
  t.like(await rowOf('refund', 'payment_id', String(id)), { status: 'canceled' });
  t.deepEqual(await ask(sale, 1), { refused: 'not_refundable' });
  t.deepEqual(await balances(sale), {});
});

test('money that is no order is asked back by itself, and is told to nobody', async (t) => {
  const sale = await newSale();
  await settle(sale, { amountMinor: 1_800 });
  const fence = await fenceFor(sale);
  t.like(fence.intents[0], { amountMinor: 1_800, reason: 'not_as_agreed' });
  const { refundId } = fence.intents[0]!;
  t.is(await tell(sale, [{ refundId, amountMinor: 1_800 }], fence), 'refunded');
  t.deepEqual(await eventNames(sale), []);
  t.deepEqual(await balances(sale), { buyer: 0, seller: 0, platform: 0 });
});

test('a refund that fails at once leaves the purchase as it was', async (t) => {
  const sale = await paidSale();
  await ask(sale, 1_900);
  const { intents } = await fenceFor(sale);
  const { refundId } = intents[0]!;
  t.is(await tell(sale, [{ refundId, status: 'failed', failure: 'declined' }]), 'cleared');
  t.true(await isActive(sale));
  t.like(await rowOf('refund', 'id', refundId), { status: 'failed', failure: 'declined' });
  t.deepEqual(await ask(sale, 1_900), { isNew: true });
});

test('refund requests and readings of one purchase at once never wait for each other in a circle', async (t) => {
  const sale = await paidSale();
  const turns = Array.from({ length: 20 }, (_, turn) =>
    turn % 2 === 0 ? ask(sale, 10) : tell(sale, [{ amountMinor: 1 }]),
  );
  await t.notThrowsAsync(Promise.all(turns));
});
