import test from 'ava';
import { messageSignal } from '../../workflows/contracts.ts';
import { grantAccess } from '../support/catalog/entitlements.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

/** More than a history holds on the server of the tests. */
const MESSAGES = 600;

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['access'] });
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test('an actor with a long history goes on in a new run and has forgotten nothing', async (t) => {
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
});
