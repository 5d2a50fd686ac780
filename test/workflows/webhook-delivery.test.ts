import test from 'ava';
import { createClaims } from '../../activities/claims.ts';
import { waitBeforeMs } from '../../domain/webhooks/retry-schedule.ts';
import { passTime, skipTime } from '../support/clock.ts';
import { deliver } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { timersOf } from '../support/temporal.ts';
import { openStage, type Stage } from '../support/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  stage.startRelay();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

// One after the other: they move the clock of the database that they share.
test.serial(
  'a failed delivery is retried after 1 min, 5 min, 30 min, 2 h and 12 h, and is dead after the fifth retry',
  async (t) => {
    const story = await deliver(stage, 503);
    for (let step = 1; step <= 5; step += 1) {
      const row = await story.reaches((found) => found.step === step);
      t.is(row.status, 'retrying');
      const last = (await story.attempts()).at(-1)!;
      const endedAt = last.started_at.getTime() + last.duration_ms;
      t.is(row.due_at!.getTime() - endedAt, waitBeforeMs(step)!);
      await story.passWait(step);
    }
    const dead = await story.reaches(({ status }) => status === 'dead');
    t.is(dead.due_at, null);
    t.is(await story.result(), 'dead');
    t.deepEqual(
      (await story.attempts()).map(({ step, status_code, error }) => [step, status_code, error]),
      [0, 1, 2, 3, 4, 5].map((step) => [step, 503, 'http_status']),
    );
    const timers = await timersOf(stage.client, story.workflowId);
    t.is(timers.length, 5);
    for (const [index, timer] of timers.entries()) t.true(timer <= waitBeforeMs(index + 1)!);

    const { hits } = story.receiver;
    t.is(hits.length, 6);
    t.true(hits.every(({ isSigned }) => isSigned));
    t.is(new Set(hits.map(({ rawBody }) => rawBody.toString())).size, 1);
  },
);

test.serial('a retry that is answered 2xx ends the schedule', async (t) => {
  const story = await deliver(stage, 500, 302, 204);
  await story.passWait(1);
  await story.passWait(2);
  t.is(await story.result(), 'succeeded');
  t.like(await story.row(), { status: 'succeeded', step: 2, due_at: null });
  t.deepEqual(
    (await story.attempts()).map(({ status_code }) => status_code),
    [500, 302, 204],
  );
});

test.serial('a timer that fires too early waits the rest: no wait is ever shortened', async (t) => {
  const story = await deliver(stage, 503, 200);
  await story.isWaiting(1);
  const { client, testDatabase } = stage;
  const { workflowId } = story;
  await skipTime({ client, workflowId, milliseconds: 61_000 });
  await story.isWaiting(2);
  t.is(story.receiver.hits.length, 1);
  t.like(await story.row(), { status: 'retrying', step: 1 });
  await passTime(testDatabase, { client, workflowId, milliseconds: 61_000 });
  t.is(await story.result(), 'succeeded');
  t.is(story.receiver.hits.length, 2);
});

test.serial('an endpoint disabled in mid-schedule holds the delivery', async (t) => {
  const story = await deliver(stage, 503);
  await story.isWaiting(1);
  await stage.testDatabase.query('update webhook_endpoint set disabled_at = now() where id = $1', [
    story.endpointId,
  ]);
  await story.passWait(1);
  t.is(await story.result(), 'held');
  t.like(await story.row(), { status: 'held', run: 1, step: 1, due_at: null, lease_token: null });
  t.is(story.receiver.hits.length, 1);
});

test.serial('an endpoint deleted in mid-schedule cancels the delivery', async (t) => {
  const story = await deliver(stage, 503);
  await story.isWaiting(1);
  await stage.testDatabase.query('update webhook_endpoint set deleted_at = now() where id = $1', [
    story.endpointId,
  ]);
  await story.passWait(1);
  t.is(await story.result(), 'cancelled');
  t.is((await story.row()).status, 'cancelled');
  t.is(story.receiver.hits.length, 1);
});

test.serial(
  'an attempt whose worker was lost is repeated as the same step and marked',
  async (t) => {
    const story = await deliver(stage, 503, 200);
    await story.isWaiting(1);
    await stage.testDatabase.advance(61_000);
    const { deliveryId, workflowId } = story;
    const lost = createClaims(stage.database.pool);
    t.like(await lost.retry({ deliveryId, run: 1, step: 1 }), { is: 'claimed' });
    await skipTime({ client: stage.client, workflowId, milliseconds: 61_000 });
    t.is(await story.result(), 'succeeded');
    const attempts = await story.attempts();
    t.deepEqual(
      attempts.map(({ step, was_interrupted }) => [step, was_interrupted]),
      [
        [0, false],
        [1, true],
      ],
    );
  },
);

test.serial('a message that comes twice is read once', async (t) => {
  const story = await deliver(stage, 503, 200);
  await story.isWaiting(1);
  const resend = `update outbox set sent_at = null where workflow_id = $1 returning id`;
  await stage.testDatabase.query(resend, [story.workflowId]);
  await eventually(
    () => eventsOf(story.workflowId, 'workflowExecutionSignaledEventAttributes'),
    (signals) => signals === 2,
  );
  await story.passWait(1);
  t.is(await story.result(), 'succeeded');
  // Read once, attempted once.
  t.is(await eventsOf(story.workflowId, 'activityTaskScheduledEventAttributes'), 2);
});

test.serial(
  'a dead delivery that is queued again is attempted at once, then on the full schedule',
  async (t) => {
    const story = await deliver(stage, 503);
    for (let step = 1; step <= 5; step += 1) await story.passWait(step);
    t.is(await story.result(), 'dead');
    t.is(await story.retry(), 'queued');
    const row = await story.reaches(({ run, step }) => run === 2 && step === 1);
    const again = (await story.attempts()).at(-1)!;
    t.like(again, { run: 2, step: 0, status_code: 503 });
    const endedAt = again.started_at.getTime() + again.duration_ms;
    t.is(row.due_at!.getTime() - endedAt, waitBeforeMs(1)!);
    const bodies = story.receiver.hits.map(({ rawBody }) => rawBody.toString());
    t.is(new Set(bodies).size, 1);
  },
);

test.serial('an operator finds a delivery in trouble by its search attributes', async (t) => {
  const story = await deliver(stage, 503);
  await story.isWaiting(1);
  const { client } = stage;
  const query = `GatehouseEndpoint = "${story.endpointId}" and GatehouseStatus = "retrying"`;
  const found = await eventually(
    () => listed(query),
    (list) => list.length > 0,
  );
  t.is(found[0]!.workflowId, story.workflowId);
  t.deepEqual(found[0]!.searchAttributes['GatehouseAttempt'], [1]);
  const description = await client.workflow.getHandle(story.workflowId).describe();
  t.is(await description.staticSummary(), `Retries of webhook delivery ${story.deliveryId}`);
});

type EventKind =
  | 'workflowExecutionSignaledEventAttributes'
  | 'activityTaskScheduledEventAttributes';

async function eventsOf(workflowId: string, kind: EventKind): Promise<number> {
  const { events } = await stage.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event[kind]).length;
}

async function listed(query: string) {
  const found = [];
  for await (const workflow of stage.client.workflow.list({ query })) found.push(workflow);
  return found;
}
