import { failTogether } from '../webhooks/cohorts.ts';
import { retryNowUpdate } from '../../../workflows/contracts.ts';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of cohorts. */
export const COHORT_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  async 'cohort-dead-after-five-retries'(stage) {
    const story = await failTogether(stage, { count: 3, answers: [503] });
    for (let step = 1; step <= 5; step += 1) await story.passWait(step);
    return story;
  },

  async 'cohort-finished-at-the-second-retry'(stage) {
    const answers = [503, 503, 503, 503, 204];
    const story = await failTogether(stage, { count: 3, answers });
    await story.passWait(1);
    await story.passWait(2);
    return story;
  },

  async 'cohort-retried-now-by-an-update'(stage) {
    const story = await failTogether(stage, { count: 3, answers: [503, 503, 503, 204] });
    await story.isWaiting(1);
    await stage.client.workflow
      .getHandle(story.workflowId)
      .executeUpdate(retryNowUpdate, { args: [null] });
    return story;
  },

  async 'cohort-ended-by-a-disabled-endpoint'(stage) {
    const story = await failTogether(stage, { count: 3, answers: [503] });
    await story.isWaiting(1);
    await story.disableEndpoint();
    return story;
  },
};
