import test from 'ava';
import { deliver } from '../support/webhooks/deliveries.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
  stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

const QUERIES = readBlocks('docs/operating.md', 'sql').filter((query) => /deliver/i.test(query));

async function idsOf(query: string): Promise<string[]> {
  const ids = [];
  for await (const { workflowId } of stage.client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

test('the saved queries of the operating page find the deliveries that they promise', async (t) => {
  const troubled = await deliver(stage, 503);
  const dead = await deliver(stage, 503);
  await troubled.isWaiting(1);
  for (let step = 1; step <= 5; step += 1) await dead.passWait(step);
  t.is(await dead.result(), 'dead');
  const today = new Date().toISOString().slice(0, 10);
  // The clock of the dead one's workflow is ahead; it closed by its own.
  const fill = (query: string) =>
    query
      .replace('<endpoint id>', troubled.endpointId)
      .replace('<product id>', troubled.productId)
      .replace('<yyyy-mm-dd>', today)
      .replace('<hh:mm>', '00:00');
  t.is(QUERIES.length, 6);
  const [all, ofEndpoint, ofProduct, deadToday, stuck, recoveries] = QUERIES.map(fill);
  const finds = (query: string, id: string) =>
    eventually(
      () => idsOf(query),
      (ids) => ids.includes(id),
    );
  const { workflowId } = troubled;
  // First: Temporal lists a run as closed a moment after its end.
  t.false((await finds(deadToday!, dead.workflowId)).includes(workflowId));
  t.false((await finds(all!, workflowId)).includes(dead.workflowId));
  t.deepEqual(await finds(ofEndpoint!, workflowId), [workflowId]);
  t.deepEqual(await finds(ofProduct!, workflowId), [workflowId]);
  t.false((await idsOf(stuck!)).includes(workflowId));
  await t.notThrowsAsync(idsOf(recoveries!));
});
