import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import {
  deliveryWorkflow,
  mailWorkflow,
  recoveryWorkflow,
} from '../../domain/outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../domain/outbox/outbox.repository.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;
test.before(async () => {
  stage = await openStage({ taskQueues: [] });
});
test.after.always(() => stage?.close());

const unsent = (priorities: number[]) =>
  stage.testDatabase.query('select from outbox where priority = any($1) and sent_at is null', [
    priorities,
  ]);

test('mails that cannot go out at once keep to the limit of starts, and hold nothing up', async (t) => {
  const mails = Array.from({ length: 100 }, () => mailWorkflow(newUuid()));
  await stage.database.transaction(async (em) => {
    await sendToWorkflows(
      em,
      [...mails, deliveryWorkflow('evt_x'), recoveryWorkflow(newUuid())],
      {},
    );
  });
  stage.startPublisher({
    workflowStartsPerS: 5,
    sendMail: () => Promise.reject(new Error('the mail server is away')),
  });
  await eventually(
    () => unsent([3, 5]),
    (found) => found.length === 0,
  );
  t.true((await unsent([4])).length > 50);
});
