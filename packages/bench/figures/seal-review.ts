import { Client, Connection } from '@temporalio/client';
import { loadReviewable } from '../data/seals.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';

export const sealReview: Measurement = {
  figures: [
    {
      id: 'U5',
      what: 'quality seals of 10,000 products with 2,400,000 days of use reviewed, in seconds',
      bounds: { must: 60, stretch: 20, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    await loadReviewable(stage);
    return inRounds(stage, async () => ({ U5: await review(stage) }));
  },
};

/** Returns the seconds that it took. */
async function review({ pool, servers, say }: Stage): Promise<number> {
  await pool.query('truncate seal_review, seal');
  await servers.get('worker');
  const connection = await Connection.connect({ address: await servers.temporal() });
  const client = new Client({ connection });
  const begunAt = performance.now();
  const done = await client.workflow.execute('sealReview', {
    taskQueue: 'upkeep',
    workflowId: 'seal-review',
  });
  const seconds = (performance.now() - begunAt) / 1_000;
  await connection.close();
  say(`    ${JSON.stringify(done)} in ${seconds.toFixed(1)} s`);
  return seconds;
}
