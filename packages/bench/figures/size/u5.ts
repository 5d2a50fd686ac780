import { Client, Connection } from '@temporalio/client';
import { loadReviewable } from '../../data/seals.ts';
import type { Figure } from '../../figure.ts';

const ROUNDS = 3;

export const u5: Figure = {
  id: 'U5',
  what: 'quality seals of 10,000 products with 2,400,000 days of use reviewed, in seconds',
  bounds: { must: 60, stretch: 20, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await loadReviewable(stage);
    const temporal = await stage.startTemporal();
    const worker = await stage.product.startWorker({ temporalAddress: temporal.address });
    const connection = await Connection.connect({ address: temporal.address });
    const client = new Client({ connection });
    const seconds: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      await stage.pool.query('truncate seal_review, seal');
      const begunAt = performance.now();
      const done = await client.workflow.execute('sealReview', {
        taskQueue: 'upkeep',
        workflowId: `seal-review-${round}`,
      });
      seconds.push((performance.now() - begunAt) / 1_000);
      stage.say(`  ${JSON.stringify(done)} in ${seconds.at(-1)!.toFixed(1)} s`);
    }
    await connection.close();
    await worker.stop();
    await temporal.stop();
    return seconds;
  },
};
