import type { Measurement } from '../figure.ts';
import { readMemoryMiB, resetPeak, sampleUntilSettled } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Server } from '../start/process.ts';
import { figures } from './table.ts';

const FILES = [
  '/sitemap.xml',
  '/sitemap/pages.xml',
  '/sitemap/products-1.xml',
  '/sitemap/products-2.xml',
];

export const sitemap: Measurement = {
  figures: figures('T5'),
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.store();
    return inRounds(stage, async () => {
      const server = await stage.servers.get('api');
      await warmUp(server);
      const idleMiB = median(await sampleUntilSettled(server.pid));
      resetPeak(server.pid);
      let bytes = 0;
      for (const path of FILES) bytes += await readFile(server, path);
      const peakMiB = readMemoryMiB(server.pid, 'VmHWM') - idleMiB;
      const readMiB = (bytes / 2 ** 20).toFixed(1);
      stage.say(`    ${readMiB} MiB read; ${peakMiB.toFixed(1)} MiB above ${idleMiB.toFixed(0)}`);
      return { T5: peakMiB };
    });
  },
};

const VISITS = 300;
const PAGES = ['/', '/search', '/p/store-1', '/sitemap/pages.xml'];

/** A process that serves pages holds more than one that has just started. */
async function warmUp(server: Server): Promise<void> {
  for (let visit = 0; visit < VISITS; visit += 1) {
    await readFile(server, PAGES[visit % PAGES.length]!);
  }
}

/** Counts what arrives, and keeps nothing of it. */
async function readFile({ origin }: Server, path: string): Promise<number> {
  const response = await fetch(origin + path);
  if (!response.ok || !response.body) throw new Error(`${path} was answered ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}
