import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import {
  deliveryWorkflow,
  mailWorkflow,
  recoveryWorkflow,
} from '../../domain/outbox/workflow-targets.ts';
import { sendToWorkflow, sendToWorkflows } from '../../domain/outbox/outbox.repository.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;
const tried: string[] = [];

/** By the mail's id: what its inline attempt comes to. */
const FATES: Record<string, () => Promise<void>> = {};

test.before(async () => {
  stage = await openStage({ taskQueues: [] });
  stage.startPublisher({
    workflowStartsPerS: 5,
    async sendMail({ mailId }) {
      tried.push(mailId);
      await FATES[mailId]!();
    },
  });
});
test.after.always(() => stage?.close());

async function queue(fate: () => Promise<void>): Promise<string> {
  const mailId = newUuid();
  FATES[mailId] = fate;
  await stage.database.transaction((em) => sendToWorkflow(em, mailWorkflow(mailId), {}));
  return mailId;
}

async function untilSent(workflowId: string): Promise<void> {
  const sent = 'select 1 from outbox where workflow_id = $1 and sent_at is not null';
  await eventually(
    () => stage.testDatabase.query(sent, [workflowId]),
    (found) => found.length === 1,
  );
}

/** Once the message to the actor of the mail is sent: whether that started a run. */
async function outcomeOf(mailId: string) {
  const { workflowId } = mailWorkflow(mailId);
  await untilSent(workflowId);
  const handle = stage.client.workflow.getHandle(workflowId);
  const hasRun = await handle.describe().then(
    () => true,
    () => false,
  );
  return { hasRun, tries: tried.filter((id) => id === mailId).length };
}

const send = async (fate: () => Promise<void>) => outcomeOf(await queue(fate));

test.serial(
  'more mails than are tried at a time wait for a place, and cost no run either',
  async (t) => {
    const server = Promise.withResolvers<void>();
    const mails = await Promise.all(Array.from({ length: 30 }, () => queue(() => server.promise)));
    // Sent after every mail that gets a run.
    const later = recoveryWorkflow(newUuid());
    await stage.database.transaction((em) => sendToWorkflow(em, later, {}));
    await untilSent(later.workflowId);
    server.resolve();
    const outcomes = await Promise.all(mails.map(outcomeOf));
    t.deepEqual(
      outcomes,
      mails.map(() => ({ hasRun: false, tries: 1 })),
    );
  },
);

test('a mail that goes out at once costs no run', async (t) => {
  t.deepEqual(await send(async () => undefined), { hasRun: false, tries: 1 });
});

test('a mail that cannot go out at once gets a run, which tries again', async (t) => {
  const away = () => Promise.reject(new Error('the mail server is away'));
  t.deepEqual(await send(away), { hasRun: true, tries: 1 });
});

test('a mail server that does not answer holds nothing up: the mail gets a run', async (t) => {
  t.deepEqual(await send(() => new Promise(() => undefined)), { hasRun: true, tries: 1 });
});

test('failed deliveries that wait for the limit of starts hold no mail up', async (t) => {
  const deliveries = Array.from({ length: 200 }, (_, n) => deliveryWorkflow(`evt_${n}`));
  await stage.database.transaction((em) => sendToWorkflows(em, deliveries, {}));
  t.deepEqual(await send(async () => undefined), { hasRun: false, tries: 1 });
  const waiting = 'select from outbox where priority = 3 and sent_at is null';
  t.true((await stage.testDatabase.query(waiting)).length > 100);
});
