import test from 'ava';
import { createClaims } from '../../domain/webhooks/deliveries/claims.command.ts';
import { ENDPOINT_LIMIT } from '../../domain/webhooks/deliveries/attempts-at-once.ts';
import { recordOutcomes } from '../../domain/webhooks/deliveries/record-attempts.query.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { passTime, skipTime } from '../support/engines/clock.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { timersOf } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  stage.startCloseEndpoints();
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

for (const [how, status] of [
  ['disabled_at', 'held'],
  ['deleted_at', 'cancelled'],
] as const) {
  test.serial(
    `an endpoint ${how.split('_')[0]} in mid-schedule: the delivery is ${status}, its workflow ends at once`,
    async (t) => {
      const story = await deliver(stage, 503);
      await story.isWaiting(1);
      await story.closeEndpoint(how);
      // No time is skipped: the message ends it, not the timer.
      t.is(await story.result(), status);
      t.like(await story.row(), { status, run: 1, step: 1, due_at: null, is_leased: false });
      t.is(story.receiver.hits.length, 1);
    },
  );
}

test.serial('a delivery that was held is cancelled with its endpoint', async (t) => {
  const story = await deliver(stage, 503);
  await story.isWaiting(1);
  await story.closeEndpoint('disabled_at');
  await story.reaches(({ status }) => status === 'held');
  await story.closeEndpoint('deleted_at');
  await story.reaches(({ status }) => status === 'cancelled');
  t.is(story.receiver.hits.length, 1);
});

test.serial('a worker paused past its lease overwrites no outcome', async (t) => {
  const story = await deliver(stage, 503, 204);
  await story.isWaiting(1);
  await stage.testDatabase.advance(61_000);
  const attempt = { deliveryId: story.deliveryId, run: 1, step: 1 };
  const paused = await createClaims(stage.database.pool).retry(attempt);
  if (paused?.is !== 'claimed') throw new Error('it was not claimed');
  await stage.testDatabase.advance(31_000);
  await skipTime({ ...story, client: stage.client, milliseconds: 92_000 });
  t.is(await story.result(), 'succeeded');
  const late = { durationMs: 9, statusCode: 500, error: 'http_status' as const };
  const outcome = { ...late, ip: null, bodyStart: null };
  await recordOutcomes(stage.database.pool, [{ delivery: paused.delivery, outcome }]);
  t.is((await story.row()).status, 'succeeded');
  t.deepEqual(
    (await story.attempts()).map(({ step, status_code }) => [step, status_code]),
    [
      [0, 503],
      [1, 204],
    ],
  );
});

test.serial('a retry that finds its endpoint busy comes back as the same step', async (t) => {
  const story = await deliver(stage, 503, 204);
  await story.isWaiting(1);
  const isBusy = (interval: string) =>
    stage.testDatabase.query(
      `insert into delivery_lease (delivery_id, endpoint_id, owner_id, token, until)
       select id, endpoint_id, gen_random_uuid(), gen_random_uuid(), gatehouse_now() + $2::interval
       from delivery where endpoint_id = $1 and id <> $3`,
      [story.endpointId, interval, story.deliveryId],
    );
  for (let n = 0; n < ENDPOINT_LIMIT; n += 1) await story.tell();
  await eventually(
    () =>
      stage.testDatabase.query<{ n: number }>(
        `select count(*)::int as n from delivery_now where endpoint_id = $1 and status = 'succeeded'`,
        [story.endpointId],
      ),
    ([row]) => row!.n === ENDPOINT_LIMIT,
  );
  await isBusy('1 hour');
  await story.passWait(1);
  await story.isWaiting(2);
  t.like(await story.row(), { status: 'retrying', run: 1, step: 1, is_leased: false });
  t.is((await story.attempts()).length, 1);
  await stage.testDatabase.query('delete from delivery_lease where endpoint_id = $1', [
    story.endpointId,
  ]);
  t.is(await story.result(), 'succeeded');
  t.deepEqual(
    (await story.attempts()).map(({ step }) => step),
    [0, 1],
  );
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

test.serial('a message that comes twice is taken once', async (t) => {
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
  // Attempted once, and the second message had nothing read.
  t.is(await eventsOf(story.workflowId, 'activityTaskScheduledEventAttributes'), 1);
});

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
  const { events } = await client.workflow.getHandle(story.workflowId).fetchHistory();
  const timer = events!.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
  const timerSummary = timer!.userMetadata!.summary!.data!;
  t.regex(String(Buffer.from(timerSummary)), /^"retry 1 of 5 in (1 min|5\d s): last answer 503"$/);
  const description = await client.workflow.getHandle(story.workflowId).describe();
  const { host } = new URL(story.receiver.url);
  const { deliveryId } = story;
  const summary = await description.staticSummary();
  t.is(summary, `Retries of purchase.completed to ${host}: ${deliveryId}`);
  const path = `/operator/find?q=${encodeURIComponent(story.workflowId)}`;
  t.is(await description.staticDetails(), `[Open in the console](http://localhost:1${path})`);
  const { due_at: dueAt } = await story.row();
  const details = await currentDetailsOf(story.workflowId);
  const due = `retry 1 of 5 due ${dueAt!.toISOString()}`;
  t.is(details, `retrying: purchase.completed to ${host}; ${due}; last answer 503`);
  await story.passWait(1);
  await story.isWaiting(2);
  t.regex(await currentDetailsOf(story.workflowId), /; retry 2 of 5 due [^;]+; last answer 503$/);
});

/** As Temporal's pages ask for it. */
async function currentDetailsOf(workflowId: string): Promise<string> {
  const metadata = await stage.client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
}

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
