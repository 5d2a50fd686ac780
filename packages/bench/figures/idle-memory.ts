import type { Measurement } from '../figure.ts';
import { sampleUntilSettled } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { figures, type FigureId } from './table.ts';

/** A process that has just started, with everything there that it talks to. */
const measureIdle = (id: FigureId, process: 'startApi' | 'startWorker'): Measurement => ({
  figures: figures(id),
  async measure(stage) {
    const { product, servers } = stage;
    await product.build();
    return inRounds(stage, async () => {
      const server = await product[process]({ temporalAddress: await servers.temporal() });
      return { [id]: median(await sampleUntilSettled(server.pid)) };
    });
  },
});

export const idleMemory = [measureIdle('P19A', 'startApi'), measureIdle('P19W', 'startWorker')];
