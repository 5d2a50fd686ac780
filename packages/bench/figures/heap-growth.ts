import { createJob, type Contestant } from '../measure/contest.ts';
import { mixedRequests } from '../measure/contestants.ts';
import type { Measurement } from '../figure.ts';
import type { Server } from '../start/process.ts';
import { CANDID, HEAP_ASKED } from '../start/heap-question.ts';
import type { Stage } from '../stage.ts';
import { until } from '../recorded.ts';
import { figures } from './table.ts';

const PARTS = 4;
const PER_PART = 50_000;
const LONGEST_PART_MS = 150_000;

export const heapGrowth: Measurement[] = [
  {
    figures: figures('M1A'),
    isByNameOnly: true,
    async measure(stage) {
      const api = await stage.product.startApi({ nodeArgs: CANDID });
      const readHeap = () => api.ask<number>(HEAP_ASKED);
      return [{ M1A: await compareHeaps(stage, { api, readHeap }) }];
    },
  },
  {
    figures: figures('M1W'),
    isByNameOnly: true,
    async measure(stage) {
      const temporalAddress = await stage.servers.temporal();
      const worker = await stage.product.startWorker({ temporalAddress, nodeArgs: CANDID });
      const api = await stage.product.startApi({ temporalAddress });
      // Read once the worker has added up what the requests have left it.
      const readHeap = async () => {
        await until(stage, { sql: 'select count(*)::int as left from check_batch' });
        return worker.ask<number>(HEAP_ASKED);
      };
      return [{ M1W: await compareHeaps(stage, { api, readHeap }) }];
    },
  },
];

/** First once every credential has been used, so that what is kept of each is there. */
async function compareHeaps(
  stage: Stage,
  { api, readHeap }: { api: Server; readHeap: () => Promise<number> },
): Promise<number> {
  const mixed = await mixedRequests(stage);
  await drive(stage, { api, mixed, count: (await mixed.requests()).length });
  const heaps = [await readHeap()];
  for (let part = 0; part < PARTS; part += 1) {
    await drive(stage, { api, mixed, count: PER_PART });
    heaps.push(await readHeap());
  }
  stage.say(`  ${heaps.map((heap) => heap.toFixed(1)).join(', ')} MiB`);
  return heaps.at(-1)! / heaps[0]!;
}

async function drive(
  { generator }: Stage,
  { api, mixed, count }: { api: Server; mixed: Contestant; count: number },
): Promise<void> {
  const job = await createJob(mixed, { servers: [api], durationMs: LONGEST_PART_MS });
  const load = await generator.run({ ...job, requests: job.requests.slice(0, count) });
  if (load.count < count) throw new Error(`only ${load.count} requests in time`);
}
