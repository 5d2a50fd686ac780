import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import { deliveryActor, mailActor, recoveryActor } from '../../domain/outbox/actors.ts';
import { sendToActors } from '../../domain/outbox/outbox.repository.ts';
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
  const mails = Array.from({ length: 100 }, () => mailActor(newUuid()));
  await stage.database.transaction(async (em) => {
    await sendToActors(em, [...mails, deliveryActor('evt_x'), recoveryActor(newUuid())], {});
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
