// Deliveries that fail: alone and in cohorts, until they are dead, found by operators and sent again.
import test from 'ava';
import { cohortWorkflow, deliveryWorkflow } from '../../domain/outbox/workflow-targets.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { sendDeliveryAgain } from '../../domain/webhooks/deliveries/retry.command.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { timersOf } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { eventually } from '../support/eventually.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { failTogether } from '../support/webhooks/cohorts.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { beginRecovery } from '../support/webhooks/recoveries.ts';

const OPERATOR = { personId: null, ip: null };

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep', 'deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  stage.startCloseEndpoints();
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
  const seen = { deliveryId, productId: newUuid(), run: 1, teamId: null, by: OPERATOR };
  t.deepEqual(await sendDeliveryAgain(stage.database.em(), seen), { refused: 'not_sendable' });
  for (const how of ['disabled_at', 'deleted_at'] as const) {
    await story.closeEndpoint(how);
    t.is(await story.retry(), 'not_sendable', `succeeded, ${how}`);
  }
  await story.declareDead();
  t.is(await story.retry(), 'not_sendable', 'dead, deleted_at');
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

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

async function messagesTo(workflowType: string, endpointId: string) {
  return stage.testDatabase.query<{ workflow_id: string }>(
    `select workflow_id from outbox where workflow_type = $1
     and (workflow_id like 'deliveries:' || $2 || ':%' or input->>'deliveryId' in
       (select id from delivery where endpoint_id = $2::uuid))`,
    [workflowType, endpointId],
  );
}

test.serial(
  'beyond 200 open retries of an endpoint, deliveries that failed in the same minute share one workflow and its schedule',
  async (t) => {
    const story = await failTogether(stage, { count: 20, answers: times(41, 503).concat(204) });
    const failed = await story.rows();
    t.is(failed.length, 20);
    t.deepEqual([...new Set(failed.map(({ cohort }) => cohort))], [story.workflowId]);
    t.regex(story.workflowId, /^deliveries:[0-9a-f-]{36}:\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    t.is((await messagesTo('webhookDelivery', story.endpointId)).length, 0);
    await story.passWait(1);
    await story.reach((rows) => rows.every(({ step }) => step === 2));
    await story.passWait(2);
    // One more fails for the third time.
    await story.reach((rows) => rows.filter(({ step }) => step === 3).length === 1);
    await story.passWait(3);
    t.is(await story.result(), 'finished');
    const timers = await timersOf(stage.client, story.workflowId);
    t.deepEqual(timers.length, 3);
    for (const [index, timer] of timers.entries()) {
      t.true(timer <= waitBeforeMs(index + 1)! && timer > waitBeforeMs(index + 1)! - 30_000);
    }
    t.true((await story.rows()).every(({ status, cohort }) => status === 'succeeded' && cohort));
    t.is(story.receiver.hits.length, 61);
  },
);

test.serial('a cohort whose deliveries all fail is dead after the fifth retry', async (t) => {
  const story = await failTogether(stage, { count: 3, answers: [503] });
  for (let step = 1; step <= 5; step += 1) await story.passWait(step);
  t.is(await story.result(), 'dead');
  t.true((await story.rows()).every(({ status }) => status === 'dead'));
  t.is(story.receiver.hits.length, 18);
  const { searchAttributes } = await stage.client.workflow.getHandle(story.workflowId).describe();
  t.like(searchAttributes, {
    GatehouseStatus: ['dead'],
    GatehouseProduct: [story.productId],
    GatehouseEndpoint: [story.endpointId],
  });
});

test.serial('a manual run leaves the cohort: the delivery has a workflow of its own', async (t) => {
  const story = await failTogether(stage, { count: 2, answers: [503, 503, 204] });
  const [one] = await story.rows();
  const { testDatabase, database } = stage;
  await testDatabase.query(
    `update delivery_state set status = 'dead', due_at = null where delivery_id = $1`,
    [one!.id],
  );
  const seen = { deliveryId: one!.id, productId: story.productId, run: 1 };
  const sent = await sendDeliveryAgain(database.em(), { ...seen, teamId: null, by: OPERATOR });
  t.deepEqual(sent, { queued: true });
  const own = stage.client.workflow.getHandle(deliveryWorkflow(one!.id).workflowId);
  const [left] = await story.reach(([row]) => row!.status === 'succeeded');
  t.is(await own.result(), 'succeeded');
  t.is(left!.cohort, null);
  await story.passWait(1);
  t.is(await story.result(), 'finished');
  t.is(story.receiver.hits.length, 4);
});

test.serial('an endpoint that is disabled ends the cohort at once, with one message', async (t) => {
  const story = await failTogether(stage, { count: 5, answers: [503] });
  await story.isWaiting(1);
  await story.disableEndpoint();
  t.is(await story.result(), 'finished');
  t.true((await story.rows()).every(({ status }) => status === 'held'));
  t.is((await messagesTo('deliveryCohort', story.endpointId)).length, 2);
  t.is(story.receiver.hits.length, 5);
});

test.serial(
  'a worker that died in the middle repeats the same step of the same delivery',
  async (t) => {
    const story = await failTogether(stage, { count: 2, answers: [503, 503, 204] });
    const [one] = await story.rows();
    await story.isWaiting(1);
    await stage.testDatabase.query(
      `insert into delivery_lease (delivery_id, endpoint_id, owner_id, token, until, is_retry)
     values ($1, $2, gen_random_uuid(), gen_random_uuid(), gatehouse_now() + interval '1 hour', true)`,
      [one!.id, story.endpointId],
    );
    await story.passWait(1);
    t.is(await story.result(), 'finished');
    const attempts = await stage.testDatabase.query<{ step: number; was_interrupted: boolean }>(
      'select step, was_interrupted from attempt where delivery_id = $1 order by step',
      [one!.id],
    );
    t.deepEqual(attempts, [
      { step: 0, was_interrupted: false },
      { step: 1, was_interrupted: true },
    ]);
  },
);

test('a cohort is named by its endpoint and minute, and its row names it', (t) => {
  const cohort = 'deliveries:0199f3a8-6c1e-7000-8000-9e0d2b4c6f81:2026-11-25T19:05Z';
  t.like(cohortWorkflow(cohort), { workflowId: cohort, input: { cohort }, priority: 3 });
});
