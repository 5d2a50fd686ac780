import { startMembership } from './becoming-member.ts';
import { CARDS, type Shop } from '../purchases/simulator.ts';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of memberships. */
export const MEMBERSHIP_RUNS: Record<string, (stage: Stage, shop: Shop) => Promise<Ended>> = {
  async 'membership-renewed-then-cancelled-and-over'(stage, shop) {
    const story = await startMembership(stage, shop);
    await story.isWaiting(1);
    await story.pay();
    await story.tell('checkout.session.completed');
    await story.reaches('active');
    const product = await story.openProduct();
    await story.isWaiting(2);
    await story.passDays(31);
    await story.hears(product, 'entitlement.renewed');
    await story.isWaiting(3);
    await story.requestChange('cancel');
    await story.hears(product, 'entitlement.canceled');
    await story.isWaiting(4);
    await story.passDays(31);
    return story;
  },

  async 'membership-lapsed-after-grace'(stage, shop) {
    const story = await startMembership(stage, shop);
    await story.isWaiting(1);
    await story.pay(CARDS.renewalsFail);
    await story.tell('checkout.session.completed');
    await story.reaches('active');
    await story.openProduct();
    const waits = await story.isWaiting(2);
    await story.passDays(waits.at(-1)! / 86_400_000 + 0.01);
    await story.reaches('past_due');
    await story.isWaiting(3);
    await story.passDays(8);
    return story;
  },
};
