// The reference of retries: a worker and a client for workflows with one empty activity.
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { answerQuestions, readOrder } from './parts/child-server.ts';

const AT_ONCE = 20;
const taskQueue = 'bench-empty';
const { temporalAddress: address } = await readOrder();

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./parts/empty-workflow.ts', import.meta.url)),
  activities: { nothing: async () => undefined },
  maxConcurrentActivityTaskExecutions: 50,
  maxConcurrentWorkflowTaskExecutions: 20,
  maxCachedWorkflows: 200,
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
let number = 0;

/** Answers with the seconds that so many took. */
answerQuestions(async ({ count }: { count: number }) => {
  const startedAt = performance.now();
  let left = count;
  const ends: Promise<unknown>[] = [];
  const work = async () => {
    while (left > 0) {
      left -= 1;
      number += 1;
      const workflowId = `empty:${process.pid}:${number}`;
      const handle = await client.workflow.start('empty', { taskQueue, workflowId });
      ends.push(handle.result());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await Promise.all(ends);
  return (performance.now() - startedAt) / 1_000;
});
