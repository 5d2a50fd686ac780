import test from 'ava';
import { messageSignal } from '../../workflows/contracts.ts';
import { skipTime } from '../support/engines/clock.ts';
import { grantAccess } from '../support/catalog/entitlements.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

const DAY_MS = 86_400_000;
/** More than a history holds on the server of the tests. */
const MESSAGES = 600;

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['access'] });
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test.serial('access that ends is announced as expired once, when its time has come', async (t) => {
  const story = await grantAccess(stage, { days: 60 });
  await story.isWaiting(1);
  await story.passDays(59);
  t.deepEqual(await story.events(), ['entitlement.created']);
  await story.passDays(1.01);
  t.is(await story.result(), 'inactive');
  t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
});

test.serial('an end that has moved meanwhile expires on the new day only', async (t) => {
  const story = await grantAccess(stage, { days: 30 });
  await story.isWaiting(1);
  await story.passDays(29);
  await story.moveEnd(60);
  await story.isWaiting(2);
  await story.passDays(2);
  t.deepEqual(await story.events(), ['entitlement.created']);
  await story.passDays(58.01);
  t.is(await story.result(), 'inactive');
  t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
});

test.serial('an end is passed without a word where another source lasts longer', async (t) => {
  const story = await grantAccess(stage, { days: 30 });
  await story.isWaiting(1);
  await story.grant({ days: 60 });
  await story.passDays(31);
  await story.isWaiting(2);
  t.deepEqual(await story.events(), ['entitlement.created']);
  await story.passDays(29.01);
  t.is(await story.result(), 'inactive');
  t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
});

test.serial('an end that was taken away lets the actor go without a word', async (t) => {
  const story = await grantAccess(stage, { days: 30 });
  await story.isWaiting(1);
  await story.grant({ days: null });
  await story.passDays(31);
  t.is(await story.result(), 'active');
  t.deepEqual(await story.events(), ['entitlement.created']);
});

test.serial('a start that lies ahead is announced when it arrives', async (t) => {
  const story = await grantAccess(stage, { startsInDays: 2, days: 5 });
  await story.isWaiting(1);
  t.deepEqual(await story.events(), []);
  await story.passDays(2.01);
  await eventually(story.events, (events) => events.includes('entitlement.created'));
  await story.passDays(3);
  t.is(await story.result(), 'inactive');
  t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
});

test.serial('a timer that fires too early waits the rest', async (t) => {
  const story = await grantAccess(stage, { days: 3 });
  await story.isWaiting(1);
  const { client } = stage;
  const { workflowId } = story;
  await skipTime({ client, workflowId, milliseconds: 3 * DAY_MS + 1_000 });
  await story.isWaiting(2);
  t.deepEqual(await story.events(), ['entitlement.created']);
  await story.passDays(3.01);
  t.is(await story.result(), 'inactive');
  t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
});

test.serial(
  'an actor with a long history goes on in a new run and has forgotten nothing',
  async (t) => {
    const story = await grantAccess(stage, { days: 60 });
    await story.isWaiting(1);
    const handle = stage.client.workflow.getHandle(story.workflowId);
    const { runId } = await handle.describe();
    for (let sent = 0; sent < MESSAGES; sent += 100) {
      const ids = Array.from({ length: 100 }, (_, index) => `many-${sent + index}`);
      await Promise.all(ids.map((outboxId) => handle.signal(messageSignal, { outboxId })));
    }
    const current = async () => (await handle.describe()).runId;
    await eventually(current, (found) => found !== runId);
    await story.isWaiting(1);
    await handle.signal(messageSignal, { outboxId: `many-${MESSAGES - 1}` });
    await story.passDays(60.01);
    t.is(await story.result(), 'inactive');
    t.deepEqual(await story.events(), ['entitlement.created', 'entitlement.expired']);
    // One reading when the new run began, one at the end: the repeated message led to none.
    const { events } = await handle.fetchHistory();
    const readings = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes);
    t.is(readings.length, 2);
  },
);
