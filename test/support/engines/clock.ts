import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TestDatabase } from './database.ts';

const POLL_TIMEOUT =
  proto.temporal.api.enums.v1.FastForwardPollingResult.FAST_FORWARD_POLLING_RESULT_POLL_TIMEOUT;

type Ahead = { client: Client; workflowId: string; milliseconds: number };

/**
 * Lets the time of one workflow pass at once; it stands still while anything is running. The
 * server can do it, the SDK's own interface does not know it yet: this is the only place that does.
 */
export async function skipTime({ client, workflowId, milliseconds }: Ahead): Promise<void> {
  const { namespace } = client.options;
  const workflowExecution = { workflowId };
  const fastForwardId = randomUUID();
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution,
    workflowExecutionOptions: {
      timeSkippingConfig: {
        enabled: true,
        fastForwardConfig: { id: fastForwardId, duration: toDuration(milliseconds) },
      },
    },
    updateMask: { paths: ['time_skipping_config'] },
  });
  for (;;) {
    const { fastForwardPollingResult } =
      await client.workflowService.pollWorkflowExecutionTimeSkipping({
        namespace,
        workflowExecution,
        fastForwardId,
      });
    // It fails when the workflow ends on the way: that is for the test to judge.
    if (fastForwardPollingResult !== POLL_TIMEOUT) return;
  }
}

/** Moves the database's clock and the workflow's together, as time itself does. */
export async function passTime(database: TestDatabase, ahead: Ahead): Promise<void> {
  await database.advance(ahead.milliseconds);
  await skipTime(ahead);
}

function toDuration(milliseconds: number) {
  const seconds = Math.floor(milliseconds / 1_000);
  return { seconds: seconds as never, nanos: (milliseconds - seconds * 1_000) * 1e6 };
}
