import { retryNowUpdate } from '../../../workflows/contracts.ts';
import type { Stage } from '../engines/worker.ts';
import { deliver } from '../webhooks/deliveries.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of deliveries that people send again or retry now. */
export const MANUAL_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  async 'delivery-retried-by-an-operator'(stage) {
    const story = await die(stage);
    await story.retry();
    // A new run's timers are counted anew.
    for (let step = 1; step <= 3; step += 1) await story.passWait(step);
    story.receiver.answers = [204];
    await story.passWait(4);
    return story;
  },

  async 'delivery-retried-twice-by-an-operator'(stage) {
    const story = await die(stage);
    await story.retry();
    for (let step = 1; step <= 5; step += 1) await story.passWait(step);
    await story.reaches(({ status }) => status === 'dead');
    await story.result();
    story.receiver.answers = [204];
    await story.retry();
    await story.reaches(({ status }) => status === 'succeeded');
    return story;
  },

  async 'delivery-sent-again-after-a-success'(stage) {
    const story = await deliver(stage, 503, 204, 503, 204);
    await story.passWait(1);
    await story.result();
    await story.retry();
    await story.passWait(1);
    return story;
  },

  async 'delivery-retried-now-by-an-update'(stage) {
    const story = await deliver(stage, 503, 503, 204);
    await story.isWaiting(1);
    const handle = stage.client.workflow.getHandle(story.workflowId);
    await handle.executeUpdate(retryNowUpdate, { args: [null] });
    await story.isWaiting(2);
    await handle.executeUpdate(retryNowUpdate, { args: [null] });
    return story;
  },
};

async function die(stage: Stage) {
  const story = await deliver(stage, 503);
  for (let step = 1; step <= 5; step += 1) await story.passWait(step);
  await story.result();
  return story;
}
