import { proxyActivities } from '@temporalio/workflow';

const activities = proxyActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: '10 seconds',
});

/** The least that a workflow can do with an activity. */
export async function empty(): Promise<void> {
  await activities.nothing();
}
