// The reference of retries: a worker and a client for workflows with one empty activity.
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve } from './parts/child-server.ts';

const AT_ONCE = 20;
const taskQueue = 'bench-empty';
const address = process.env['TEMPORAL_ADDRESS']!;

process.on('disconnect', () => process.exit());
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

await serve((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  void run(Number(searchParams.get('count'))).then(
    (seconds) => response.end(JSON.stringify({ seconds })),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

async function run(count: number): Promise<number> {
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
}
