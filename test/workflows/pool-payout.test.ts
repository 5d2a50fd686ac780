import test from 'ava';
import { MOST_ATTEMPTS, waitAfterMs } from '../../domain/pool/payout-lines/transfer-schedule.ts';
import { retryNowUpdate, statusQuery } from '../../workflows/contracts.ts';
import { skipTime } from '../support/engines/clock.ts';
import { timersOf } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { recordOutcome, PAYOUT_RUNS, startPayout } from '../support/pool/runs/payout-runs.ts';
import { createPoolViews, readPoolLedger } from '../support/pool/payouts.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { alertsAbout } from '../support/purchases/reconciling.ts';
import { startShop, type Shop } from '../support/purchases/simulator.ts';

let shop: Shop;
let stage: Stage;
let knobs: ReturnType<typeof createKnobs>;

test.before(async () => {
  shop = await startShop();
  knobs = createKnobs(shop);
  stage = await openStage({
    taskQueues: ['money'],
    processor: shop.processor,
    testDatabase: shop.database,
  });
  stage.startPublisher();
  await stage.startWorkers();
});
test.afterEach.always(() => knobs.transfers('make', 0));
test.after.always(async () => {
  await stage?.close();
  await shop?.close();
});

type Story = Awaited<ReturnType<typeof startPayout>>;

const lineOf = async ({ owner }: Story) => {
  const [line] = await createPoolViews(stage.testDatabase).linesOf(owner);
  return line!.slice(1);
};
const owedTo = async ({ owner }: Story) => {
  const { owedMinor, sumMinor } = await readPoolLedger(stage.testDatabase, owner);
  return sumMinor === 0 ? owedMinor : null;
};

// One after the other: they move the clock of the database that they share.
test.serial('a payout is transferred at once, booked, and its lines are paid', async (t) => {
  const story = await startPayout(stage, shop);
  t.is(await story.result(), 'paid');
  const [transfer, ...others] = await story.transfers();
  t.deepEqual(others, []);
  t.like(transfer, { amount: '12345', account_id: story.account });
  t.like(await story.row(), {
    status: 'paid',
    attempts: 1,
    due_at: null,
    transfer_id: transfer!.id,
    last_error: null,
  });
  t.deepEqual(await lineOf(story), ['paid', story.payoutId]);
  t.is(await owedTo(story), 0);
  t.deepEqual(await timersOf(stage.client, story.workflowId), []);
});

test.serial('a transfer that is refused for now is attempted until it is made', async (t) => {
  await knobs.transfers('refuse', 5);
  const story = await startPayout(stage, shop);
  for (let attempts = 1; attempts <= 5; attempts += 1) await story.passWait(attempts);
  t.is(await story.result(), 'paid');
  t.like(await story.row(), { status: 'paid', attempts: 6 });
  t.is((await story.transfers()).length, 1);
  const timers = await timersOf(stage.client, story.workflowId);
  t.is(timers.length, 5);
  for (const [index, timer] of timers.entries()) {
    const wait = waitAfterMs(index + 1)!;
    t.true(timer <= wait && timer > wait - 2_000, `${timer} of ${wait}`);
  }
});

test.serial('operators read the attempt, the due time and the reason of a payout', async (t) => {
  await knobs.transfers('refuse', 1);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  const { due_at: dueAt } = await story.row();
  const described = await story.handle.describe();
  t.deepEqual(described.searchAttributes['GatehouseStatus'], ['retrying']);
  t.deepEqual(described.searchAttributes['GatehouseAttempt'], [1]);
  t.deepEqual(described.searchAttributes['GatehouseDueAt'], [dueAt]);
  t.deepEqual(described.searchAttributes['GatehousePerson'], [story.owner.personId]);
  t.is(await story.handle.query(statusQuery), 'retrying');
  t.is(await story.handle.executeUpdate(retryNowUpdate, { args: [null] }), 'queued');
  t.is(await story.result(), 'paid');
  const audit = await stage.testDatabase.query(
    `select action, detail ->> 'via' as via from audit where subject = $1`,
    [story.payoutId],
  );
  t.deepEqual(audit, [{ action: 'payouts.retried_now', via: 'Temporal' }]);
});

test.serial('a timer that fires too early waits the rest', async (t) => {
  await knobs.transfers('refuse', 1);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  const { workflowId } = story;
  await skipTime({ client: stage.client, workflowId, milliseconds: 61_000 });
  await story.isWaiting(2);
  t.like(await story.row(), { status: 'paying', attempts: 1 });
  await stage.testDatabase.advance(61_000);
  await skipTime({ client: stage.client, workflowId, milliseconds: 61_000 });
  t.is(await story.result(), 'paid');
});

test.serial('a transfer that timed out but was made is found, not made again', async (t) => {
  await knobs.transfers('drop', 2);
  const story = await startPayout(stage, shop);
  await story.passWait(1);
  t.is(await story.result(), 'paid');
  const [transfer, ...others] = await story.transfers();
  t.deepEqual(others, []);
  t.like(await story.row(), { status: 'paid', attempts: 2, transfer_id: transfer!.id });
  const keys = `delete from simulator.idempotency where key = $1 returning key`;
  t.is((await stage.testDatabase.query(keys, [story.payoutId])).length, 1);
});

test.serial('also after its idempotency key has ended', async (t) => {
  await knobs.transfers('drop', 2);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  await stage.testDatabase.query('delete from simulator.idempotency where key = $1', [
    story.payoutId,
  ]);
  await story.passWait(1);
  t.is(await story.result(), 'paid');
  t.is((await story.transfers()).length, 1);
  t.is(await owedTo(story), 0);
});

test.serial('an account that can receive nothing ends the payout at once', async (t) => {
  await knobs.transfers('refuse', 1);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  await knobs.setAccount(story.account, 'closed');
  await story.passWait(1);
  t.is(await story.result(), 'failed');
  const row = await story.row();
  t.like(row, { status: 'failed', attempts: 2, due_at: null, transfer_id: null });
  t.regex(row.last_error!, /payout account/);
  t.deepEqual(await lineOf(story), ['failed', null]);
  t.like(await alertsAbout(stage, story.payoutId), {
    0: { kind: 'pool_payout_failed', times: 1 },
    length: 1,
  });
  t.is(await owedTo(story), 12_345);
});

test.serial('after its last attempt a payout is given up, and its lines wait', async (t) => {
  const giveUp = PAYOUT_RUNS['payout-given-up-after-its-last-attempt']!;
  const story = (await giveUp(stage, shop)) as Story;
  t.is(await story.result(), 'failed');
  t.like(await story.row(), { status: 'failed', attempts: MOST_ATTEMPTS });
  t.deepEqual(await lineOf(story), ['failed', null]);
  t.deepEqual(await story.transfers(), []);
  t.is(await owedTo(story), 12_345);
});

test.serial('nothing is given up while a transfer may have been made', async (t) => {
  await knobs.transfers('refuse', 1);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  await story.jumpTo(MOST_ATTEMPTS - 1);
  await knobs.transfers('drop', 2);
  await story.passMs(60_000);
  await story.isWaiting(2);
  t.like(await story.row(), { status: 'paying', attempts: MOST_ATTEMPTS });
  await story.passMs(86_400_000);
  t.is(await story.result(), 'paid');
  t.is((await story.transfers()).length, 1);
});

test.serial('and it is given up when the processor knows of none', async (t) => {
  await knobs.transfers('refuse', 1);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  await story.jumpTo(MOST_ATTEMPTS);
  await story.passMs(60_000);
  t.is(await story.result(), 'failed');
  t.like(await story.row(), { attempts: MOST_ATTEMPTS + 1 });
  t.deepEqual(await story.transfers(), []);
});

test.serial('a payout that an operator found paid ends, and is paid once', async (t) => {
  const find = PAYOUT_RUNS['payout-ended-by-an-operator']!;
  const story = (await find(stage, shop)) as Story;
  t.is(await story.result(), 'paid');
  const [transfer, ...others] = await story.transfers();
  t.deepEqual(others, []);
  t.like(await story.row(), { status: 'paid', attempts: 1, transfer_id: transfer!.id });
  t.deepEqual(await lineOf(story), ['paid', story.payoutId]);
  t.is(await owedTo(story), 0);
});

test.serial('a payout of which the processor never tells ends by an operator', async (t) => {
  await knobs.transfers('drop', 2);
  const story = await startPayout(stage, shop);
  await story.isWaiting(1);
  // The processor knows a transfer of this name that is none of ours.
  const sql = 'update simulator.transfer set amount = amount + 1 where transfer_group = $1';
  await stage.testDatabase.query(sql, [story.payoutId]);
  await story.passWait(1);
  await story.isWaiting(2);
  t.like(await story.row(), { status: 'paying', attempts: 2, is_outcome_unknown: true });
  const outcome = { is: 'not_paid', reason: 'It is of another payout.' } as const;
  t.is(await recordOutcome(stage, story, outcome), 'recorded');
  t.is(await story.result(), 'failed');
  t.like(await story.row(), { status: 'failed', attempts: 2, due_at: null });
  t.deepEqual(await lineOf(story), ['failed', null]);
  t.is(await owedTo(story), 12_345);
});
