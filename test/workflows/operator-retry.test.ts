import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import { sendAgain } from '../../domain/webhooks/deliveries/manual-retry.repository.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

// One after the other: they move the clock of the database that they share.
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

test.serial('two clicks on retry make one run, a second retry later works again', async (t) => {
  const story = await deliver(stage, 503);
  t.is(await story.retry(), 'already_queued');
  for (let step = 1; step <= 5; step += 1) await story.passWait(step);
  t.is(await story.result(), 'dead');
  story.receiver.answers = ['slow'];
  const clicks = await Promise.all([story.retry(), story.retry(), story.retry()]);
  t.deepEqual(clicks.toSorted(), ['already_queued', 'already_queued', 'queued']);
  await story.reaches(({ status }) => status === 'succeeded');
  t.is(await story.retry(1), 'already_queued', 'the page of the first click');
  await story.declareDead();
  t.is(await story.retry(), 'queued');
  await story.reaches(({ status, run }) => status === 'succeeded' && run === 3);
  t.deepEqual(
    (await story.attempts()).slice(-2).map(({ run, step }) => [run, step]),
    [
      [2, 0],
      [3, 0],
    ],
  );
});

test.serial('nothing is retried of another product, or of a deleted endpoint', async (t) => {
  const story = await deliver(stage, 200);
  await story.reaches(({ status }) => status === 'succeeded');
  const { deliveryId } = story;
  const seen = { deliveryId, productId: newUuid(), run: 1 };
  t.is(await stage.database.transaction((em) => sendAgain(em, seen)), null);
  for (const how of ['disabled_at', 'deleted_at'] as const) {
    await story.closeEndpoint(how);
    t.is(await story.retry(), null, `succeeded, ${how}`);
  }
  await story.declareDead();
  t.is(await story.retry(), null, 'dead, deleted_at');
});
