import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { eventually } from '../eventually.ts';

/** What one click of an operator in Temporal does to a workflow. */
export const INTERRUPTIONS = {
  async terminated(client: Client, workflowId: string): Promise<void> {
    await client.workflow.getHandle(workflowId).terminate('a click');
    await untilEnded(client, workflowId, 'TERMINATED');
  },

  async cancelled(client: Client, workflowId: string): Promise<void> {
    await client.workflow.getHandle(workflowId).cancel();
    await untilEnded(client, workflowId, 'CANCELLED');
  },

  /** To its first task: all that it has heard and done comes again. */
  async reset(client: Client, workflowId: string): Promise<void> {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      reason: 'a click',
      requestId: randomUUID(),
      workflowTaskFinishEventId: first!.eventId!,
    });
  },
};

async function untilEnded(client: Client, workflowId: string, status: string): Promise<void> {
  await eventually(
    async () => (await client.workflow.getHandle(workflowId).describe()).status.name,
    (found) => found === status,
  );
}
