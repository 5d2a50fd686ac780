import type { Measurement } from '../figure.ts';
import { sampleUntilSettled } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Server } from '../start/process.ts';
import type { Stage } from '../stage.ts';

export const idleMemoryOfApi: Measurement = {
  figures: [
    {
      id: 'P19A',
      what: 'idle memory of the API, MiB',
      bounds: { must: 150, stretch: 100, better: 'lower' },
    },
  ],
  async measure(stage) {
    const idle = await measureIdle(stage, stage.product.startApi);
    return idle.map((P19A) => ({ P19A }));
  },
};

export const idleMemoryOfWorker: Measurement = {
  figures: [
    {
      id: 'P19W',
      what: 'idle memory of the worker, MiB',
      bounds: { must: 400, stretch: 250, better: 'lower' },
    },
  ],
  async measure(stage) {
    const idle = await measureIdle(stage, stage.product.startWorker);
    return idle.map((P19W) => ({ P19W }));
  },
};

/** A process that has just started, with everything there that it talks to. */
async function measureIdle(
  stage: Stage,
  start: (given: { temporalAddress: string }) => Promise<Server>,
): Promise<number[]> {
  await stage.product.build();
  return inRounds(stage, async () => {
    const server = await start({ temporalAddress: await stage.servers.temporal() });
    return median(await sampleUntilSettled(server.pid));
  });
}
