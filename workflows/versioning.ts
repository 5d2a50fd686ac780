// With Worker Deployments: which build runs the tasks of an open run. A worker's default is that a
// run moves to each new build; entity workflows live for months, so from the first release on their
// changes need `patched()`.
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = (...args: never[]) => Promise<unknown>;

/** Short-lived: each run ends with the build that began it. */
export function pin(...workflows: Workflow[]): void {
  for (const workflow of workflows) setWorkflowOptions(pinnedToVersion, workflow);
}

/** Temporal refuses the tasks of a worker that says more than it has a version for. */
function pinnedToVersion() {
  const isVersioned = Boolean(workflowInfo().currentDeploymentVersion?.deploymentName);
  return isVersioned ? { versioningBehavior: 'PINNED' as const } : {};
}
