import { createJob, type Contestant } from '../contest.ts';
import { mixedRequests } from '../contestants.ts';
import type { Figure } from '../figure.ts';
import type { Server } from '../process.ts';
import { CANDID, HEAP_ASKED } from '../servers/heap-question.ts';
import type { Stage } from '../stage.ts';

const PARTS = 4;
const PER_PART = 50_000;
const LONGEST_PART_MS = 150_000;

/** First once every credential has been used, so that what is kept of each is there. */
export const m1: Figure = {
  id: 'M1',
  what: 'API heap after collection, after 200,000 mixed requests / before',
  bounds: { must: 1.1, stretch: null, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    const mixed = await mixedRequests(stage);
    const api = await stage.product.startApi({ nodeArgs: CANDID });
    await drive(stage, { api, mixed, count: (await mixed.requests()).length });
    const heaps = [await api.ask<number>(HEAP_ASKED)];
    for (let part = 0; part < PARTS; part += 1) {
      await drive(stage, { api, mixed, count: PER_PART });
      heaps.push(await api.ask<number>(HEAP_ASKED));
    }
    await api.stop();
    stage.say(`  ${heaps.map((heap) => heap.toFixed(1)).join(', ')} MiB`);
    return [heaps.at(-1)! / heaps[0]!];
  },
};

async function drive(
  { generator }: Stage,
  { api, mixed, count }: { api: Server; mixed: Contestant; count: number },
): Promise<void> {
  const terms = { servers: [api], connections: 32, roundMs: LONGEST_PART_MS };
  const job = await createJob(mixed, terms);
  const load = await generator.run({ ...job, requests: job.requests.slice(0, count) });
  if (load.count < count) throw new Error(`only ${load.count} requests in time`);
}
