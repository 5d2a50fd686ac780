import test from 'ava';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { beginRecovery } from '../support/webhooks/recoveries.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep', 'deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test('what was dead after an outage arrives after a recovery, with the same bytes', async (t) => {
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
});
