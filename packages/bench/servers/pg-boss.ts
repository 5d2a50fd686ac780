// What others run: deliveries as jobs of pg-boss, which marks a job that has succeeded and keeps it.
import { PgBoss } from 'pg-boss';
import { answerQuestions, openOrderedPool } from './parts/child-server.ts';
import { countPosts, type Message, type Sends } from './parts/sends.ts';

const QUEUE = 'deliveries';
// 1,024 at a time, as many as our dispatcher sends: the quickest division of several. Each worker
// fetches its next batch at once while batches are full, and otherwise polls as often as it may.
const OPTIONS = {
  batchSize: 256,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
};

const pool = await openOrderedPool();
const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } });
boss.on('error', console.error);
await boss.start();
await boss.createQueue(QUEUE);

answerQuestions(async ({ message, count }: Sends) => {
  await boss.deleteAllJobs(QUEUE);
  await boss.insert(
    QUEUE,
    Array.from({ length: count }, () => ({ data: message })),
  );
  await pool.query('analyze pgboss.job');
  const posts = countPosts(count);
  await boss.work<Message>(QUEUE, OPTIONS, async (jobs) => {
    await Promise.all(jobs.map(({ data }) => posts.post(data)));
  });
  const seconds = await posts.done;
  await boss.offWork(QUEUE);
  const { rowCount } = await pool.query(`select from pgboss.job where state <> 'completed'`);
  if (rowCount) throw new Error(`pg-boss did not record ${rowCount} jobs`);
  return seconds;
});
