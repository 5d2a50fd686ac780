import { randomUUID } from 'node:crypto';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of upkeep. */
export const UPKEEP_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  /** Nothing is old: one call of each kind. */
  'upkeep-in-one-call': keepUp,

  /** More messages are old than one call of some seconds removes. */
  async 'upkeep-of-many-messages'(stage) {
    await stage.testDatabase.query(
      `insert into outbox (workflow_type, workflow_id, input, priority, message, sent_at)
       select 'sendMail', 'mail:' || n, '{}', 4, '{}', gatehouse_now() - interval '8 days'
       from generate_series(1, 600000) n`,
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
