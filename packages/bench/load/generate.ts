import type { Child } from '../../../dev/process/children.ts';
import { ask, hear, startProcess, type Starting } from '../start/process.ts';
import { percentile } from '../measure/statistics.ts';
import type { Done, Job, Load, Report, Share } from './job.ts';

export type Generator = { run(job: Job): Promise<Load> };

/**
 * A process for each origin, started when first needed: one has one thread, so while it reads what one
 * server has answered, the connections to another one would rest (packages/bench/NOTES.md).
 */
export function createGenerator(starting: Starting): Generator {
  const started: Promise<Child>[] = [];
  const drive = async (share: Share, index: number): Promise<Done> => {
    const child = await (started[index] ??= startOne(starting));
    const report = await ask<Report>(child, { starting, question: share });
    if ('fault' in report) throw new Error(report.fault);
    return report.done;
  };
  return { run: async (job) => addUp(await Promise.all(shareOut(job).map(drive))) };
}

async function startOne(starting: Starting): Promise<Child> {
  const child = startProcess(starting, {
    name: 'generator',
    main: 'packages/bench/load/generator.ts',
  });
  await hear(child, starting);
  return child;
}

function shareOut({ origins, ...work }: Job): Share[] {
  return origins.map((origin, index) => ({
    ...work,
    origin,
    connections: Math.ceil((work.connections - index) / origins.length),
    requests: work.requests.filter((_, place) => place % origins.length === index),
  }));
}

function addUp(all: readonly Done[]): Load {
  const seconds = Math.max(...all.map((done) => done.seconds));
  const times = all.flatMap(({ latenciesMs }) => latenciesMs);
  const [p50Ms, p99Ms] = [percentile(times, 50), percentile(times, 99)];
  return { count: times.length, seconds, p50Ms, p99Ms };
}
