import { randomUUID } from 'node:crypto';
import { addProduct } from '../catalog/scene.ts';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of upkeep. */
export const UPKEEP_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  /** Nothing is old: one call of each kind. */
  'upkeep-in-one-call': keepUp,

  /** More events are old than one call of some seconds removes. */
  async 'upkeep-of-many-events'(stage) {
    const { productId } = await addProduct(stage.testDatabase);
    await stage.testDatabase.query(
      `insert into event (id, product_id, name, data, created_at)
       select uuidv7(), $1, 'old', '{}', gatehouse_now() - interval '91 days'
       from generate_series(1, 600000)`,
      [productId],
    );
    return keepUp(stage);
  },
};

async function keepUp({ client, prefix }: Stage): Promise<Ended> {
  const workflowId = `${prefix}upkeep-${randomUUID()}`;
  const options = { taskQueue: `${prefix}upkeep`, workflowId };
  const removed: unknown = await client.workflow.execute('upkeep', options);
  return { workflowId, result: () => Promise.resolve(JSON.stringify(removed)) };
}
