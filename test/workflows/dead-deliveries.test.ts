// Deliveries that are dead: how operators find them, and how they are sent again.
import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { sendAgain } from '../../domain/webhooks/deliveries/manual-retry.repository.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { eventually } from '../support/eventually.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { beginRecovery } from '../support/webhooks/recoveries.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep', 'deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

// One after the other: they move the clock of the database that they share.

const QUERIES = readBlocks('docs/operating.md', 'sql').filter((query) => /deliver/i.test(query));

async function idsOf(query: string): Promise<string[]> {
  const ids = [];
  for await (const { workflowId } of stage.client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

test.serial(
  'the saved queries of the operating page find the deliveries that they promise',
  async (t) => {
    const troubled = await deliver(stage, 503);
    const dead = await deliver(stage, 503);
    await troubled.isWaiting(1);
    for (let step = 1; step <= 5; step += 1) await dead.passWait(step);
    t.is(await dead.result(), 'dead');
    const today = new Date().toISOString().slice(0, 10);
    // The clock of the dead one's workflow is ahead; it closed by its own.
    const fill = (query: string) =>
      query
        .replace('<endpoint id>', troubled.endpointId)
        .replace('<product id>', troubled.productId)
        .replace('<yyyy-mm-dd>', today)
        .replace('<hh:mm>', '00:00');
    t.is(QUERIES.length, 6);
    const [all, ofEndpoint, ofProduct, deadToday, stuck, recoveries] = QUERIES.map(fill);
    const finds = (query: string, id: string) =>
      eventually(
        () => idsOf(query),
        (ids) => ids.includes(id),
      );
    const { workflowId } = troubled;
    // First: Temporal lists a run as closed a moment after its end.
    t.false((await finds(deadToday!, dead.workflowId)).includes(workflowId));
    t.false((await finds(all!, workflowId)).includes(dead.workflowId));
    t.deepEqual(await finds(ofEndpoint!, workflowId), [workflowId]);
    t.deepEqual(await finds(ofProduct!, workflowId), [workflowId]);
    t.false((await idsOf(stuck!)).includes(workflowId));
    await t.notThrowsAsync(idsOf(recoveries!));
  },
);

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

test.serial(
  'what was dead after an outage arrives after a recovery, with the same bytes',
  async (t) => {
    const story = await deliver(stage, 503);
    for (let step = 1; step <= 5; step += 1) await story.passWait(step);
    await story.reaches(({ status }) => status === 'dead');
    story.receiver.answers = [200];
    const owner = 'select owner_person_id as id from product where id = $1';
    const [person] = await stage.testDatabase.query<{ id: string }>(owner, [story.productId]);
    const started = await beginRecovery(stage, { ...story, personId: person!.id });
    t.false(isRefusal(started));
    const row = await story.reaches(({ status }) => status === 'succeeded');
    t.is(row.run, 2);
    const { hits } = story.receiver;
    t.is(new Set(hits.map(({ rawBody }) => rawBody.toString())).size, 1);
    t.is(hits.length, 7);
  },
);
