import test from 'ava';
import { deliveryWorkflow } from '../../domain/outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../domain/outbox/outbox.repository.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

const TIMEOUT_MS = 180_000;

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries', 'upkeep'] });
  stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers(undefined, undefined, ['upkeep']);
});

test.after.always(() => stage?.close());

/** A build of the workflows of deliveries. The sweep goes on beside it. */
const deploy = (build?: { code: string }) => stage.startWorkers(build, undefined, ['deliveries']);

/** One visit of the schedule: how many workflows of each type fail. */
let visits = 0;
async function failing() {
  const { client, prefix } = stage;
  visits += 1;
  const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}sweep-${visits}` };
  const swept = (await client.workflow.execute('sweep', options)) as {
    failing: Record<string, number>;
  };
  return swept.failing;
}

const alerts = () =>
  stage.testDatabase.query<{ subject: string; problem: string; is_open: boolean }>(
    `select subject, detail->>'problem' as problem, resolved_at is null as is_open
     from alert where kind = 'workflow_failing'`,
  );

test('a build whose steps differ from the histories is an alert until it is rolled back', async (t) => {
  const good = await deploy();
  const story = await deliver(stage, 503, 204);
  await story.isWaiting(1);
  t.deepEqual(await failing(), {});
  await good.stop();

  const { code } = await loadWorkflowBundle();
  const otherCode = code.replace('undefined : factsOf(received)', 'undefined : undefined');
  t.not(otherCode, code);
  const bad = await deploy({ code: otherCode });
  const woken = deliveryWorkflow(story.deliveryId);
  await stage.database.transaction((em) => sendToWorkflow(em, woken, { kind: 'overdue' }));
  // A task is tried again ever more slowly, and noted at its run only then: before, no visit helps.
  await eventually(
    () => stage.client.workflow.getHandle(story.workflowId).describe(),
    ({ searchAttributes }) => 'TemporalReportedProblems' in searchAttributes,
    TIMEOUT_MS,
  );
  await eventually(failing, (found) => found['webhookDelivery'] === 1, TIMEOUT_MS);
  const [alert] = await alerts();
  t.like(alert, { subject: 'webhookDelivery', is_open: true });
  t.regex(alert!.problem, /WorkflowTaskFailed/);
  await bad.stop();

  await deploy();
  await story.passWait(1);
  await story.reaches(({ status }) => status === 'succeeded');
  await eventually(failing, (found) => Object.keys(found).length === 0, TIMEOUT_MS);
  t.like(await alerts(), [{ is_open: false }]);
});
