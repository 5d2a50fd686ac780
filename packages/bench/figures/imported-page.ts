import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readPage } from '../../../clients/pages/read-page.ts';
import type { Measurement } from '../figure.ts';
import { readMemoryMiB, resetPeak } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { figures } from './table.ts';

const PAGE_BYTES = 614_400;
const WARM_UPS = 3;
const PAGES = 20;

/** What the worker does with a page that it has fetched, in a process that does nothing else. */
export const importedPage: Measurement = {
  figures: figures('T4A', 'T4B', 'T4C'),
  isByNameOnly: true,
  async measure(stage) {
    const bytes = makePage();
    return inRounds(stage, async () => {
      for (let n = 0; n < WARM_UPS; n += 1) await read(bytes);
      const before = readMemoryMiB(process.pid);
      resetPeak(process.pid);
      const reads: Awaited<ReturnType<typeof watchRead>>[] = [];
      for (let n = 0; n < PAGES; n += 1) reads.push(await watchRead(bytes));
      return {
        T4A: median(reads.map(({ cpuMs }) => cpuMs)),
        T4B: Math.max(...reads.map(({ blockMs }) => blockMs)),
        T4C: readMemoryMiB(process.pid, 'VmHWM') - before,
      };
    });
  },
};

/** A long list, with the tags of its head. */
function makePage(): Buffer {
  const head = `<title>Paper Trail</title><meta name="description" content="Keeps receipts.">
    <link rel="icon" href="/icon.png"><meta property="og:image" content="/shot.png">`;
  const rows = Array.from(
    { length: 12_000 },
    (_, n) => `<div class="row r${n}"><p>Receipt ${n} &amp; what it is for</p></div>`,
  );
  return Buffer.from(`<html><head>${head}</head><body>${rows.join('')}`).subarray(0, PAGE_BYTES);
}

const read = (bytes: Buffer) =>
  readPage({ bytes, contentType: 'text/html', address: 'https://paper.example/', isCut: true });

async function watchRead(bytes: Buffer) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = process.cpuUsage();
  await read(bytes);
  const { user, system } = process.cpuUsage(startedAt);
  delay.disable();
  return { cpuMs: (user + system) / 1_000, blockMs: delay.max / 1_000_000 };
}
