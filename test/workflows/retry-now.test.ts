import test from 'ava';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import {
  retryDeliveryNow,
  sendDeliveryAgain,
} from '../../domain/webhooks/deliveries/retry.command.ts';
import { newPublicId } from '../../domain/shared/ids.ts';
import { retryNowUpdate } from '../../workflows/contracts.ts';
import { failTogether } from '../support/webhooks/cohorts.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { INTERRUPTIONS } from '../support/webhooks/interrupting.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;
let worker: { stop(): Promise<void> };

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  worker = await startWorker();
});
test.after.always(() => stage?.close());

/** All of the worker but the dispatcher. */
async function startWorker() {
  const parts = [stage.startPublisher(), await stage.startWorkers()];
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
}

const OPERATOR = { personId: null, ip: null };
const RETRIED = { retried: true };

const ALL = { args: [null] as [null] };

const handleOf = (workflowId: string) => stage.client.workflow.getHandle(workflowId);

type Story = Awaited<ReturnType<typeof deliver>>;

/** As an operator does in the console, of the retry that is ahead. */
async function retryIt({ deliveryId, row }: Story) {
  const { run, step } = await row();
  return retryDeliveryNow(stage.database.em(), { deliveryId, run, step, by: OPERATOR });
}

/** What the validator of an Update that is refused says. */
async function refusalOf(workflowId: string, deliveryId: string | null = null): Promise<string> {
  const update = handleOf(workflowId).executeUpdate(retryNowUpdate, { args: [deliveryId] });
  const error = await update.then(
    (done) => new Error(`it was ${done}`),
    (refusal: WorkflowUpdateFailedError) => refusal.cause ?? refusal,
  );
  return error.message;
}

const steps = (attempts: { run: number; step: number; status_code: number | null }[]) =>
  attempts.map(({ run, step, status_code }) => [run, step, status_code]);

// One after the other: they move the clock of the database that they share.
test.serial(
  'Retry now in the console makes the next retry at once, and the schedule goes on',
  async (t) => {
    const story = await deliver(stage, 503, 503, 204);
    await story.isWaiting(1);
    t.deepEqual(await retryIt(story), RETRIED);
    await story.isWaiting(2);
    const row = await story.row();
    t.like(row, { status: 'retrying', run: 1, step: 2 });
    await story.passWait(2);
    t.is(await story.result(), 'succeeded');
    t.deepEqual(steps(await story.attempts()), [
      [1, 0, 503],
      [1, 1, 503],
      [1, 2, 204],
    ]);
  },
);

test.serial(
  'the Update retryNow of a delivery does the same, and the audit trail says so',
  async (t) => {
    const story = await deliver(stage, 503, 204);
    await story.isWaiting(1);
    // As Temporal's page sends it, without an input.
    t.is(await handleOf(story.workflowId).executeUpdate('retryNow'), 'queued');
    t.is(await story.result(), 'succeeded');
    t.is(story.receiver.hits.length, 2);
    const trail = await stage.testDatabase.query(
      'select action, actor_id, product_id, detail from audit where subject = $1',
      [story.deliveryId],
    );
    const entry = { action: 'delivery.retried_now', actor_id: null, product_id: story.productId };
    t.deepEqual(trail, [{ ...entry, detail: { via: 'Temporal' } }]);
  },
);

test.serial(
  'of many Updates and clicks at once one makes the retry, and it is sent once',
  async (t) => {
    const story = await deliver(stage, 503, 'slow', 503);
    await story.isWaiting(1);
    const handle = handleOf(story.workflowId);
    const asked = [1, 2, 3].map(() =>
      handle.executeUpdate(retryNowUpdate, ALL).catch(() => 'refused' as const),
    );
    const clicked = [1, 2, 3].map(() => retryIt(story));
    const updates = await Promise.all(asked);
    const clicks = await Promise.all(clicked);
    const done = [
      ...updates.filter((each) => each === 'queued'),
      ...clicks.filter((click) => 'retried' in click),
    ];
    t.is(done.length, 1);
    t.is(await story.result(), 'succeeded');
    t.is(story.receiver.hits.length, 2);
  },
);

test.serial('Retry now makes a due retry whose workflow was terminated', async (t) => {
  const story = await deliver(stage, 503, 204);
  await story.isWaiting(1);
  await handleOf(story.workflowId).terminate('by an operator');
  await stage.testDatabase.query(
    `update delivery_state set due_at = gatehouse_now() - interval '1 minute' where delivery_id = $1`,
    [story.deliveryId],
  );
  t.deepEqual(await retryIt(story), RETRIED);
  t.deepEqual(await retryIt(story), { refused: 'not_waiting' });
  await eventually(
    () => Promise.resolve(story.receiver.hits.length),
    (hits) => hits === 2,
  );
  t.is(await story.result(), 'succeeded');
  t.is(story.receiver.hits.length, 2);
});

test.serial('a retry that is under way is not sent a second time', async (t) => {
  const story = await deliver(stage, 503, 'hang');
  await story.isWaiting(1);
  t.deepEqual(await retryIt(story), RETRIED);
  await eventually(
    () => Promise.resolve(story.receiver.hits.length),
    (hits) => hits === 2,
  );
  t.deepEqual(await retryIt(story), { refused: 'not_waiting' });
  t.is(await story.retry(), 'already_queued');
  t.is(await refusalOf(story.workflowId), 'an attempt is under way');
  story.receiver.answers = [204];
  // The answer that never came is a timeout; the next retry is another step.
  const { status, step } = await story.reaches((row) => row.step === 2);
  t.deepEqual([status, step, story.receiver.hits.length], ['retrying', 2, 2]);
});

test.serial('an Update finds nothing to retry of what is not waiting', async (t) => {
  const story = await deliver(stage, 503, 204);
  await story.isWaiting(1);
  // As when the console was faster, and its message is still on its way.
  await stage.testDatabase.query(
    'update delivery_state set due_at = gatehouse_now() where delivery_id = $1',
    [story.deliveryId],
  );
  t.is(await handleOf(story.workflowId).executeUpdate(retryNowUpdate, ALL), 'unchanged');
  t.is(await refusalOf(story.workflowId, 'nonsense'), 'that is no delivery id');
  const other = { args: [newPublicId('evt_')] as [string] };
  t.is(await handleOf(story.workflowId).executeUpdate(retryNowUpdate, other), 'unchanged');
  t.is(story.receiver.hits.length, 1);
});

test.serial(
  'while the worker is away a click waits in the row, and is done by the next one',
  async (t) => {
    await worker.stop();
    const story = await deliver(stage, 503, 204);
    await story.reaches(({ step }) => step === 1);
    t.deepEqual(await retryIt(story), RETRIED);
    t.deepEqual(await retryIt(story), { refused: 'not_waiting' });
    t.is(story.receiver.hits.length, 1);
    worker = await startWorker();
    t.is(await story.result(), 'succeeded');
    t.deepEqual(steps(await story.attempts()), [
      [1, 0, 503],
      [1, 1, 204],
    ]);
  },
);

test.serial('a reset run that gets its Updates again sends nothing twice', async (t) => {
  const story = await deliver(stage, 503, 503);
  await story.isWaiting(1);
  t.is(await handleOf(story.workflowId).executeUpdate(retryNowUpdate, ALL), 'queued');
  await story.reaches(({ step }) => step === 2);
  await story.isWaiting(2);
  const { runId } = await handleOf(story.workflowId).describe();
  await INTERRUPTIONS.reset(stage.client, story.workflowId);
  await eventually(
    () => handleOf(story.workflowId).describe(),
    (described) => described.runId !== runId,
  );
  await story.isWaiting(1);
  const attempts = steps(await story.attempts());
  t.is(new Set(attempts.map(String)).size, attempts.length);
  t.is(story.receiver.hits.length, attempts.length);
});

test.serial(
  'a succeeded delivery is sent again with its id and bytes, and has its own schedule',
  async (t) => {
    const story = await deliver(stage, 204, 503, 204);
    await story.reaches(({ status }) => status === 'succeeded');
    t.is(await story.retry(), 'queued');
    await story.isWaiting(1);
    t.like(await story.row(), { status: 'retrying', run: 2, step: 1 });
    await story.passWait(1);
    t.is(await story.result(), 'succeeded');
    t.deepEqual(steps(await story.attempts()), [
      [1, 0, 204],
      [2, 0, 503],
      [2, 1, 204],
    ]);
    const { hits } = story.receiver;
    t.is(new Set(hits.map(({ rawBody }) => rawBody.toString())).size, 1);
    t.true(hits.every(({ isSigned }) => isSigned));
  },
);

test.serial('a first attempt under way is not sent again by hand', async (t) => {
  const story = await deliver(stage, 'slow');
  await eventually(
    () => Promise.resolve(story.receiver.hits.length),
    (hits) => hits === 1,
  );
  const { deliveryId, productId } = story;
  const seen = { deliveryId, productId, run: 1, teamId: null, by: OPERATOR };
  const sent = await sendDeliveryAgain(stage.database.em(), seen);
  t.deepEqual(sent, { refused: 'already_queued' });
  await story.reaches(({ status }) => status === 'succeeded');
  t.is(story.receiver.hits.length, 1);
});

test.serial('the Update of a cohort retries one of its deliveries, or all', async (t) => {
  const story = await failTogether(stage, { count: 3, answers: [503, 503, 503, 204] });
  await story.isWaiting(1);
  const [one] = await story.rows();
  const handle = handleOf(story.workflowId);
  const other = newPublicId('evt_');
  t.is(await handle.executeUpdate(retryNowUpdate, { args: [other] }), 'unchanged');
  t.is(await refusalOf(story.workflowId, `${one!.id}'`), 'that is no delivery id');
  t.is(await handle.executeUpdate(retryNowUpdate, { args: [one!.id] }), 'queued');
  await story.reach((rows) => rows.filter(({ status }) => status === 'succeeded').length === 1);
  t.is(story.receiver.hits.length, 4);
  await story.isWaiting(3);
  t.is(await handle.executeUpdate(retryNowUpdate, ALL), 'queued');
  t.is(await story.result(), 'finished');
  t.is(story.receiver.hits.length, 6);
  const trail = await stage.testDatabase.query(
    `select subject from audit where action = 'delivery.retried_now' and product_id = $1 order by at`,
    [story.productId],
  );
  t.deepEqual(trail, [{ subject: one!.id }, { subject: story.workflowId }]);
});

test.serial('Retry now in the console of a delivery of a cohort wakes the cohort', async (t) => {
  const story = await failTogether(stage, { count: 2, answers: [503, 503, 204] });
  await story.isWaiting(1);
  const rows = await story.rows();
  for (const { id: deliveryId, run, step } of rows) {
    const seen = { deliveryId, run, step, by: OPERATOR };
    t.deepEqual(await retryDeliveryNow(stage.database.em(), seen), RETRIED);
  }
  t.is(await story.result(), 'finished');
  t.true((await story.rows()).every(({ cohort }) => cohort === story.workflowId));
  t.is(story.receiver.hits.length, 4);
});
