import { setTimeout as delay } from 'node:timers/promises';
import { describeCpu, watchCpu, type Cpu } from './cpu.ts';
import type { Measurement } from '../figure.ts';
import { figures, type FigureId } from '../figures/table.ts';
import type { Job, Request } from '../load/job.ts';
import type { Server } from '../start/process.ts';
import type { ServerName } from '../start/servers.ts';
import type { Stage } from '../stage.ts';
import { compareSides, type Side } from './rounds.ts';

export type Contestant = {
  server: ServerName;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Asked before each load. */
  requests(): Promise<Request[]>;
  /** A request that can be answered once only, such as one that consumes a code. */
  isOnce?: boolean;
};

export type Sample = {
  requestsPerS: number;
  p50Ms: number;
  p99Ms: number;
  cpu: Cpu;
};

export type Samples = Record<'measured' | 'reference', Sample>;

type Terms = { connections?: number; processes?: number };

type Sides = Terms & {
  measured: (stage: Stage) => Promise<Contestant>;
  reference: (stage: Stage) => Promise<Contestant>;
};

/** Figures that are taken from the same samples of each round. */
export type Contest = Sides & {
  figures: Partial<Record<FigureId, (samples: Samples) => number>>;
  isByNameOnly?: boolean;
};

const CONNECTIONS = 32;
const LOAD_MS = 3_000;
const SETTLE_MS = 200;
/** The requests after which a report costs no less on any machine, made in few loads. */
const WARMING_REQUESTS = 10_000;
const WARMING_LOADS = 3;

export function contest({ figures: ratios, isByNameOnly = false, ...sides }: Contest): Measurement {
  const evaluate = (samples: Samples) =>
    Object.fromEntries(Object.entries(ratios).map(([id, by]) => [id, by(samples)]));
  const measure = async (stage: Stage) => (await compete(stage, sides)).map(evaluate);
  return { figures: figures(...(Object.keys(ratios) as FigureId[])), isByNameOnly, measure };
}

/** One against another, a sample of each in each round. */
export function compete(
  stage: Stage,
  { measured, reference, ...terms }: Sides,
): Promise<Samples[]> {
  return compareSides(stage, async () => ({
    measured: toSide(stage, await measured(stage), terms),
    reference: toSide(stage, await reference(stage), terms),
  }));
}

/**
 * Warmed up by many connections, and by as many as are measured: one caller alone is served by other
 * statements than many.
 */
function toSide(stage: Stage, contestant: Contestant, terms: Terms): Side<Sample> {
  const { connections = CONNECTIONS } = terms;
  return {
    async warmUp() {
      const many = { ...terms, connections: Math.max(connections, CONNECTIONS) };
      let count = 0;
      for (let load = 0; load < WARMING_LOADS && count < WARMING_REQUESTS; load += 1) {
        const { requestsPerS } = await runLoad(stage, contestant, many);
        count += (requestsPerS * LOAD_MS) / 1_000;
      }
      if (connections < CONNECTIONS) await runLoad(stage, contestant, terms);
    },
    async measure() {
      const sample = await runLoad(stage, contestant, terms);
      stage.say(`    ${describeSample(contestant.server, sample)}`);
      return sample;
    },
  };
}

export async function runLoad(
  stage: Stage,
  contestant: Contestant,
  { connections = CONNECTIONS, processes = 1 }: Terms = {},
): Promise<Sample> {
  const servers = await stage.servers.getSeveral(contestant.server, processes);
  const job = await createJob(contestant, { servers, connections });
  await delay(SETTLE_MS); // what preparing left behind is no part of the load
  const readCpu = watchCpu(stage, servers);
  const { count, seconds, p50Ms, p99Ms } = await stage.generator.run(job);
  return { requestsPerS: count / seconds, p50Ms, p99Ms, cpu: readCpu(count) };
}

export async function createJob(
  contestant: Contestant,
  {
    servers,
    connections = CONNECTIONS,
    durationMs = LOAD_MS,
  }: { servers: Server[]; connections?: number; durationMs?: number },
): Promise<Job> {
  const { method, path, headers = {}, isOnce = false } = contestant;
  return {
    origins: servers.map(({ origin }) => origin),
    method,
    path,
    headers,
    requests: await contestant.requests(),
    isOnce,
    connections,
    durationMs,
  };
}

function describeSample(name: string, { requestsPerS, p50Ms, p99Ms, cpu }: Sample): string {
  const times = `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
  return `${name}: ${Math.round(requestsPerS)}/s, ${times}, ${describeCpu(cpu)}`;
}

/** A value of the measured / the same of the reference. */
const ratioBy =
  (valueOf: (sample: Sample) => number) =>
  ({ measured, reference }: Samples): number =>
    valueOf(measured) / valueOf(reference);

export const byReference = ({ reference }: Samples): number => reference.requestsPerS;
export const byRequests = ratioBy(({ requestsPerS }) => requestsPerS);
export const byP50 = ratioBy(({ p50Ms }) => p50Ms);
export const byP99 = ratioBy(({ p99Ms }) => p99Ms);
/** The ratio of the time of a core that the server and PostgreSQL take. */
export const byCpu = ratioBy(({ cpu }) => cpu.servers + cpu.postgres);
