import type { Client } from '@temporalio/client';
import { FAILING, onTaskQueues } from '../../workflows/contracts.ts';

export type FailingWorkflows = {
  workflowType: string;
  workflows: number;
  workflow: string;
  problem: string;
};

const CALL_MS = 3_000;
const PAGE = 1_000;

/**
 * Temporal marks a run whose task failed several times in a row, and removes the mark with the
 * first success.
 */
export async function listFailingWorkflows({
  client,
  taskQueuePrefix,
}: {
  client: Client;
  taskQueuePrefix: string;
}): Promise<FailingWorkflows[]> {
  const query = `${FAILING} AND ${onTaskQueues(taskQueuePrefix)}`;
  const { namespace } = client.options;
  const { executions } = await client.connection.withDeadline(Date.now() + CALL_MS, () =>
    client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: PAGE }),
  );
  const failing = new Map<string, FailingWorkflows>();
  for (const { type, execution, searchAttributes } of executions) {
    const workflowType = type?.name ?? '';
    const known = failing.get(workflowType);
    const problem = searchAttributes?.indexedFields?.['TemporalReportedProblems']?.data;
    failing.set(workflowType, {
      workflowType,
      workflows: (known?.workflows ?? 0) + 1,
      workflow: known?.workflow ?? execution?.workflowId ?? '',
      problem: known?.problem ?? (problem ? Buffer.from(problem).toString() : ''),
    });
  }
  return [...failing.values()];
}
