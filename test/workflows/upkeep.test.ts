import test from 'ava';
import { ensureUpkeepSchedule } from '../../activities/temporal.ts';
import { addProduct } from '../support/scene.ts';
import { openStage, type Stage } from '../support/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'] });
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test('what is over is removed on schedule, what is not stays', async (t) => {
  const { client, prefix, testDatabase } = stage;
  const { personId } = await addProduct(testDatabase);
  await testDatabase.query(`insert into rate_window (bucket, minute, n) values ('old', 1, 600)`);
  await testDatabase.query(
    `insert into rate_window (bucket, minute, n)
     values ('new', floor(extract(epoch from gatehouse_now()) / 60)::bigint, 1)`,
  );
  await testDatabase.query(
    `insert into session (token_hash, person_id, expires_at) values
       ('old', $1, gatehouse_now() - interval '1 minute'),
       ('new', $1, gatehouse_now() + interval '1 minute')`,
    [personId],
  );
  await testDatabase.query(
    `insert into pre_session (token_hash, expires_at) values
       ('old', gatehouse_now() - interval '1 minute'),
       ('new', gatehouse_now() + interval '1 minute')`,
  );
  // Every worker makes sure of it; the second finds it there.
  await ensureUpkeepSchedule(client, prefix);
  await ensureUpkeepSchedule(client, prefix);
  const schedule = client.schedule.getHandle(`${prefix}upkeep`);
  t.like((await schedule.describe()).spec.intervals?.[0], { every: 600_000 });
  await schedule.delete();

  const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}upkeep-now` };
  const removed = await client.workflow.execute('upkeep', options);
  t.deepEqual(removed, { rateWindows: 1, sessions: 2 });
  const buckets = await testDatabase.query('select bucket from rate_window');
  t.deepEqual(buckets, [{ bucket: 'new' }]);
});
