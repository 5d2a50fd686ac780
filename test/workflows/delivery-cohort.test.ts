import test from 'ava';
import { cohortActor, deliveryActor } from '../../domain/outbox/actors.ts';
import { sendAgain } from '../../domain/webhooks/deliveries/manual-retry.repository.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { failTogether } from '../support/webhooks/cohorts.ts';
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

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

async function messagesTo(workflowType: string, endpointId: string) {
  return stage.testDatabase.query<{ workflow_id: string }>(
    `select workflow_id from outbox where workflow_type = $1
     and (workflow_id like 'deliveries:' || $2 || ':%' or input->>'deliveryId' in
       (select id from delivery where endpoint_id = $2::uuid))`,
    [workflowType, endpointId],
  );
}

// One after the other: they move the clock of the database that they share.
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
  t.like(await database.transaction((em) => sendAgain(em, seen)), { is: 'queued', from: 'dead' });
  const own = stage.client.workflow.getHandle(deliveryActor(one!.id).workflowId);
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
  t.like(cohortActor(cohort), { workflowId: cohort, input: { cohort }, priority: 3 });
});
