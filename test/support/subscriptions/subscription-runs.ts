import { cancelUpdate } from '../../../workflows/contracts.ts';
import { CARDS, type Shop } from '../purchases/simulator.ts';
import { startSubscription } from './subscribing.ts';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of subscriptions. */
export const SUBSCRIPTION_RUNS: Record<string, (stage: Stage, shop: Shop) => Promise<Ended>> = {
  async 'subscription-renewed-twice-then-cancelled'(stage, shop) {
    const story = await startSubscription(stage, shop);
    for (let month = 1; month <= 2; month += 1) {
      await story.isWaiting(month);
      await story.passDays(31);
      await story.announced('entitlement.renewed', month);
    }
    await story.requestChange('cancel');
    await story.reaches('canceling');
    await story.passDays(31);
    return story;
  },

  async 'subscription-resumed-before-its-end'(stage, shop) {
    const story = await startSubscription(stage, shop);
    await story.isWaiting(1);
    await story.requestChange('cancel');
    await story.reaches('canceling');
    await story.isWaiting(2);
    await story.requestChange('resume');
    await story.reaches('active');
    await story.refund();
    return story;
  },

  async 'subscription-ended-after-grace'(stage, shop) {
    const story = await startSubscription(stage, shop, { card: CARDS.renewalsFail });
    const [renewal] = await story.isWaiting(1);
    await story.passDays(renewal! / 86_400_000 + 0.01);
    await story.reaches('past_due');
    await story.isWaiting(2);
    await story.passDays(8);
    return story;
  },

  async 'subscription-cancelled-by-an-operators-update'(stage, shop) {
    const story = await startSubscription(stage, shop, { kind: 'yearly' });
    await story.isWaiting(1);
    await story.handle.executeUpdate(cancelUpdate);
    await story.reaches('canceling');
    await story.isWaiting(2);
    await story.passDays(366);
    return story;
  },
};
