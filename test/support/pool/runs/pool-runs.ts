import { randomUUID } from 'node:crypto';
import { approveUpdate } from '../../../../workflows/contracts.ts';
import type { Stage } from '../../engines/worker.ts';
import { createPoolFakes } from './pool-fakes.ts';
import { addOperator, startPeriod } from '../pool-periods.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** The steps of the periods that are recorded; each run has a month of its own. */
export const RECORDED_POOL = createPoolFakes();

/** What is recorded of months of the creator pool. */
export const POOL_PERIOD_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  async 'pool-period-empty'(stage) {
    const story = await startPeriod(stage, 'CHF');
    await story.isWaiting(1);
    await story.passMonth();
    return story;
  },

  async 'pool-period-approved-and-paid'(stage) {
    const { story, payoutIds } = await startCharged(stage, { payouts: 2 });
    await story.passMonth();
    await story.isWaiting(2);
    await story.approve((await addOperator(stage)).personId);
    await story.isWaiting(3);
    await story.endPayout(payoutIds[0]!);
    await story.isWaiting(4);
    await story.endPayout(payoutIds[1]!, false);
    return story;
  },

  async 'pool-period-approved-by-an-update'(stage) {
    const { story } = await startCharged(stage, { payouts: 0 });
    await story.passMonth();
    await story.isWaiting(2);
    const code = await story.codeOf((await addOperator(stage)).personId);
    await story.handle.executeUpdate(approveUpdate, { args: [code] });
    return story;
  },

  async 'pool-period-stopped-before-it-was-computed'(stage) {
    const { story } = await startCharged(stage, { payouts: 0 });
    RECORDED_POOL.problems.set(`compute ${story.periodId}`, 'fees and parts differ by 1');
    await story.passMonth();
    await story.isWaiting(2);
    RECORDED_POOL.problems.clear();
    await story.passHours(1.01);
    await story.isWaiting(3);
    await story.approve((await addOperator(stage)).personId);
    return story;
  },

  async 'pool-period-previewed-twice'(stage) {
    const story = await startPeriod(stage, 'CHF');
    await story.isWaiting(1);
    await story.send('preview');
    await story.isWaiting(2);
    RECORDED_POOL.problems.set(`preview ${story.periodId}`, 'nothing to preview');
    await story.send('preview');
    await story.isWaiting(3);
    RECORDED_POOL.problems.clear();
    await story.passMonth();
    return story;
  },
};

async function startCharged(stage: Stage, { payouts }: { payouts: number }) {
  const story = await startPeriod(stage, 'CHF');
  await story.isWaiting(1);
  const payoutIds = Array.from({ length: payouts }, () => `pool-${randomUUID()}`);
  RECORDED_POOL.charged.add(story.periodId);
  RECORDED_POOL.payouts.set(story.periodId, payoutIds);
  return { story, payoutIds };
}
