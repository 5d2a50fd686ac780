import { startServer, type Server, type Starting } from '../start/process.ts';
import { percentile } from '../measure/statistics.ts';
import type { Done, Job, Load, Share } from './job.ts';

/**
 * A process for each origin, started when first needed: one has one thread, so while it reads what one
 * server has answered, the connections to another one would rest (packages/bench/NOTES.md).
 */
export function createGenerator(starting: Starting) {
  const started: Promise<Server>[] = [];
  const spec = { name: 'generator', main: 'packages/bench/load/generator.ts' };
  const drive = async (share: Share, index: number) =>
    (await (started[index] ??= startServer(starting, spec))).ask<Done>(share);
  return { run: async (job: Job) => addUp(await Promise.all(shareOut(job).map(drive))) };
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
