// What others run: deliveries as jobs of graphile-worker, which deletes a job that has succeeded.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { answerQuestions, openOrderedPool } from './parts/child-server.ts';
import { countPosts, type Message, type Sends } from './parts/sends.ts';

const TASK = 'deliver';

const shared = {
  pgPool: await openOrderedPool(),
  logger: new Logger(() => (level, message) => {
    if (level === 'error') console.error(message);
  }),
  // As its page on performance measures it: jobs are fetched and completed in batches. As many at a
  // time as our dispatcher sends, 1,024, cost it half as much CPU again.
  preset: {
    worker: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 250 },
  },
};
const utils = await makeWorkerUtils(shared);
await utils.migrate();

answerQuestions(async ({ message, count }: Sends) => {
  await utils.addJobs(
    Array.from({ length: count }, () => ({ identifier: TASK, payload: message })),
  );
  await shared.pgPool.query('analyze graphile_worker._private_jobs');
  const posts = countPosts(count);
  const runner = await run({
    ...shared,
    taskList: { [TASK]: (message) => posts.post(message as Message) },
    noHandleSignals: true,
  });
  const seconds = await posts.done;
  await runner.stop();
  const { rowCount } = await shared.pgPool.query('select from graphile_worker._private_jobs');
  if (rowCount) throw new Error(`graphile-worker did not record ${rowCount} jobs`);
  return seconds;
});
