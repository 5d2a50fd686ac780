import test from 'ava';
import { messageSignal, type Message } from '../../workflows/contracts.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { passTime } from '../support/engines/clock.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { timersOf } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

type Story = Awaited<ReturnType<typeof deliver>>;

let stage: Stage;
/** Failed, and changed again before any worker has looked. */
let early: Record<'disabled' | 'deleted' | 'retried', Story>;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  const closing = stage.startCloseEndpoints();
  early = { disabled: await fail(), deleted: await fail(), retried: await fail() };
  await early.disabled.closeEndpoint('disabled_at');
  await early.deleted.closeEndpoint('deleted_at');
  await retryAsDead(early.retried);
  for (const story of Object.values(early)) await untilTold(story, 2);
  await closing.stop();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

async function fail(): Promise<Story> {
  const story = await deliver(stage, 503, 200);
  await story.reaches(({ status }) => status === 'retrying');
  return story;
}

/** As if all its retries were over already. */
async function retryAsDead(story: Story): Promise<void> {
  await story.declareDead();
  if ((await story.retry()) !== 'queued') throw new Error('it was not dead');
}

/** What has happened, without the tasks that are done; the workflow may not have begun. */
async function happened({ workflowId }: Story): Promise<string[]> {
  const history = await stage.client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch(() => null);
  return (history?.events ?? []).flatMap((event) =>
    Object.keys(event).filter((key) => key.endsWith('EventAttributes')),
  );
}

const count = (events: string[], name: string) =>
  events.filter((event) => event === `${name}EventAttributes`).length;
const readings = async (story: Story) => count(await happened(story), 'activityTaskScheduled');

const untilTold = (story: Story, messages: number) =>
  eventually(
    () => happened(story),
    (events) => count(events, 'workflowExecutionSignaled') === messages,
  );

for (const [how, status] of [
  ['disabled', 'held'],
  ['deleted', 'cancelled'],
] as const) {
  test.serial(
    `an endpoint ${how} between the failure and the beginning: ${status} at once, nothing is awaited or sent`,
    async (t) => {
      const story = early[how];
      t.is(await story.result(), status);
      t.deepEqual(await timersOf(stage.client, story.workflowId), []);
      t.is(await readings(story), 1);
      t.is(story.receiver.hits.length, 1);
    },
  );
}

test.serial(
  'a retry by an operator between the failure and the beginning is attempted at once',
  async (t) => {
    const story = early.retried;
    t.is(await story.result(), 'succeeded');
    t.deepEqual(await timersOf(stage.client, story.workflowId), []);
    t.deepEqual(
      (await story.attempts()).map(({ run, step }) => [run, step]),
      [
        [1, 0],
        [2, 0],
      ],
    );
  },
);

test.serial(
  'the timer of the first retry stands after one workflow task, with no activity before it',
  async (t) => {
    const story = await fail();
    const [timer] = await story.isWaiting(1);
    t.deepEqual(
      await happened(story),
      [
        'workflowExecutionStarted',
        'workflowExecutionSignaled',
        'workflowTaskScheduled',
        'workflowTaskStarted',
        'workflowTaskCompleted',
        'upsertWorkflowSearchAttributes',
        'timerStarted',
      ].map((name) => `${name}EventAttributes`),
    );
    const handle = stage.client.workflow.getHandle(story.workflowId);
    const { events } = await handle.fetchHistory();
    // However long the message was on its way.
    const dueAt = (await story.row()).due_at!;
    const begun = events!.find((event) => event.workflowTaskStartedEventAttributes)!.eventTime!;
    const begunAt = Number(begun.seconds) * 1_000 + begun.nanos! / 1e6;
    t.true(Math.abs(timer! - Math.min(dueAt.getTime() - begunAt, waitBeforeMs(1)!)) <= 1);
    const summary = String(Buffer.from(events!.at(-1)!.userMetadata!.summary!.data!));
    t.regex(summary, /^"retry 1 of 5 in (1 min|\d+ s): last answer 503"$/);
    const { searchAttributes } = await handle.describe();
    t.like(searchAttributes, {
      GatehouseStatus: ['retrying'],
      GatehouseProduct: [story.productId],
      GatehouseEndpoint: [story.endpointId],
      GatehouseEvent: ['purchase.completed'],
      GatehouseAttempt: [1],
      GatehouseDueAt: [dueAt],
    });
    type Metadata = { currentDetails: string };
    const metadata = await handle.query<Metadata>('__temporal_workflow_metadata');
    const { host } = new URL(story.receiver.url);
    const due = `retry 1 of 5 due ${dueAt.toISOString()}`;
    const details = `retrying: purchase.completed to ${host}; ${due}; last answer 503`;
    t.is(metadata.currentDetails, details);
    t.is(await handle.query('status'), 'retrying');
    await story.passWait(1);
    t.is(await story.result(), 'succeeded');
    t.is(await readings(story), 1);
  },
);

test.serial(
  'an endpoint that closed without a word yet: the first message begins a wait, the next one ends it',
  async (t) => {
    const story = await fail();
    await story.closeEndpoint('disabled_at');
    await story.isWaiting(1);
    t.is(await readings(story), 0);
    const closing = stage.startCloseEndpoints();
    t.is(await story.result(), 'held');
    await closing.stop();
    t.is(story.receiver.hits.length, 1);
  },
);

test.serial('a retry by an operator ends the wait for the first retry', async (t) => {
  const story = await fail();
  await story.isWaiting(1);
  await retryAsDead(story);
  t.is(await story.result(), 'succeeded');
  t.like(await story.row(), { status: 'succeeded', run: 2, step: 0 });
});

test.serial(
  'a failure told again after its workflow has ended is decided by the row: nothing is sent',
  async (t) => {
    const story = await fail();
    await story.isWaiting(1);
    await story.closeEndpoint('disabled_at');
    const closing = stage.startCloseEndpoints();
    t.is(await story.result(), 'held');
    await closing.stop();
    const { client, testDatabase } = stage;
    const { workflowId } = story;
    const current = async () => (await client.workflow.getHandle(workflowId).describe()).runId;
    const ended = await current();
    const resend = `update outbox set sent_at = null
      where workflow_id = $1 and message->>'kind' = 'first_attempt_failed'`;
    await testDatabase.query(resend, [workflowId]);
    await eventually(current, (runId) => runId !== ended);
    await story.isWaiting(1);
    await passTime(testDatabase, { client, workflowId, milliseconds: 61_000 });
    t.is(await story.result(), 'held');
    t.is(await readings(story), 1);
    t.is(story.receiver.hits.length, 1);
  },
);

test.serial(
  'a message that does not say how the delivery stands, comes to a workflow that runs, or was carried over has the row read',
  async (t) => {
    const story = await fail();
    await story.isWaiting(1);
    const [row] = await stage.testDatabase.query<{ message: Message }>(
      'select message from outbox where workflow_id = $1',
      [story.workflowId],
    );
    const { client, prefix } = stage;
    const { deliveryId, workflowId } = story;
    const handle = client.workflow.getHandle(workflowId);
    const start = { workflowId, taskQueue: `${prefix}deliveries` };
    const tell = (message: Message) =>
      client.workflow.signalWithStart('webhookDelivery', {
        ...start,
        args: [{ deliveryId }],
        signal: messageSignal,
        signalArgs: [message],
      });
    await handle.terminate();
    await tell({ kind: 'first_attempt_failed', outboxId: 'bare' });
    await story.isWaiting(1);
    t.is(await readings(story), 1);
    const full = { ...row!.message, outboxId: 'full' };
    await tell(full);
    await story.isWaiting(2);
    t.is(await readings(story), 2);
    await handle.terminate();
    const mail = { seen: ['full'], waiting: [full] };
    await client.workflow.start('webhookDelivery', { ...start, args: [{ deliveryId }, mail] });
    await story.isWaiting(1);
    t.is(await readings(story), 1);
  },
);
