import type { Figure } from '../../figure.ts';
import { sampleUntilSettled } from '../../measure/memory.ts';
import type { Server } from '../../start/process.ts';
import type { Stage } from '../../stage.ts';

export const p19a: Figure = {
  id: 'P19A',
  what: 'idle memory of the API, MiB',
  bounds: { must: 150, stretch: 100, better: 'lower' },
  async measure(stage) {
    await stage.product.build();
    return measureIdle(stage, (given) => stage.product.startApi(given));
  },
};

export const p19w: Figure = {
  id: 'P19W',
  what: 'idle memory of the worker, MiB',
  bounds: { must: 400, stretch: 250, better: 'lower' },
  async measure(stage) {
    await stage.product.build();
    return measureIdle(stage, (given) => stage.product.startWorker(given));
  },
};

/** A process that has just started, with everything there that it talks to. */
async function measureIdle(
  stage: Stage,
  start: (given: { temporalAddress: string }) => Promise<Server>,
): Promise<number[]> {
  const temporal = await stage.startTemporal();
  const server = await start({ temporalAddress: temporal.address });
  const settled = await sampleUntilSettled(server.pid);
  await server.stop();
  await temporal.stop();
  return settled;
}
