import { readPeakMiB, resetPeak, sampleUntilSettled } from '../../measure/memory.ts';
import { median } from '../../measure/statistics.ts';
import type { Stage } from '../../stage.ts';

type Run = { status: string; seconds: number; freezeS: number; peakMiB: number };

/** Each round in a process of its own, which has settled before. */
export async function runPoolMonth(
  stage: Stage,
  { periodId, rounds }: { periodId: string; rounds: number },
): Promise<Run[]> {
  const runs: Run[] = [];
  while (runs.length < rounds) {
    const server = await stage.servers.startPoolMonth();
    const idleMiB = median(await sampleUntilSettled(server.pid));
    resetPeak(server.pid);
    const response = await fetch(`${server.origin}/?period=${periodId}`);
    if (!response.ok) throw new Error(await response.text());
    const run = (await response.json()) as Omit<Run, 'peakMiB'>;
    const peakMiB = readPeakMiB(server.pid) - idleMiB;
    runs.push({ ...run, peakMiB });
    stage.say(
      `  ${run.status} in ${run.seconds.toFixed(1)} s, ${run.freezeS.toFixed(1)} of them the freeze; ${peakMiB.toFixed(0)} MiB above ${idleMiB.toFixed(0)}`,
    );
    await server.stop();
  }
  return runs;
}
