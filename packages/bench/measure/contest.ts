import { setTimeout as delay } from 'node:timers/promises';
import { readCpuMs } from './cpu.ts';
import type { Job, Request } from '../load/job.ts';
import type { Server } from '../start/process.ts';
import type { ServerName } from '../start/servers.ts';
import type { Stage } from '../stage.ts';
import { ratios } from './statistics.ts';

export type Contestant = {
  server: ServerName;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Asked before each round. */
  requests(): Promise<Request[]>;
  /** A request that can be answered once only, such as one that consumes a code. */
  isOnce?: boolean;
};

/** Taken from the round of each side. */
export type Measure = (round: Round) => number;

type Cpu = { server: number; postgres: number };

export type Round = {
  requestsPerS: number;
  p50Ms: number;
  p99Ms: number;
  /** Microseconds per request; null where the system does not tell. */
  cpu: Cpu | null;
};

type Terms = { connections: number; processes?: number; rounds?: number; roundMs?: number };

const ROUNDS = 5;
const ROUND_MS = 3_000;
const SETTLE_MS = 200;
/** What runs seldom is interpreted: V8 compiles a path only after it was taken often enough. */
const WARMING_CONNECTIONS = 32;

/**
 * The contestants take turns on one machine in one run, each second round in reverse: what drifts,
 * drifts for all of them. First ones warm up and do not count: one with many connections, one with as
 * many as are measured, since one caller alone is served by other statements than many.
 */
export async function compete<const Names extends string>(
  stage: Stage,
  contestants: Record<Names, Contestant>,
  { connections, processes = 1, rounds = ROUNDS, roundMs = ROUND_MS }: Terms,
): Promise<Record<Names, Round[]>> {
  const names = Object.keys(contestants) as Names[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Names,
    Round[]
  >;
  const terms = { connections, processes, roundMs };
  for (const callers of new Set([Math.max(connections, WARMING_CONNECTIONS), connections])) {
    for (const name of names) {
      await runRound(stage, contestants[name], { ...terms, connections: callers });
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await runRound(stage, contestants[name], terms);
      results[name].push(result);
      stage.say(`  round ${round}, ${describeRound(name, result)}`);
    }
  }
  return results;
}

async function runRound(
  stage: Stage,
  contestant: Contestant,
  { connections, processes, roundMs }: Required<Omit<Terms, 'rounds'>>,
): Promise<Round> {
  const servers = await stage.servers.get(contestant.server, processes);
  const job = await createJob(contestant, { servers, connections, roundMs });
  await delay(SETTLE_MS); // what preparing left behind is no part of the round
  const cpuBefore = readCpu(stage, servers);
  const load = await stage.generator.run(job);
  const cpuAfter = readCpu(stage, servers);
  const { count, seconds, p50Ms, p99Ms } = load;
  const cpu = cpuBefore && cpuAfter && perRequest(cpuBefore, cpuAfter, count);
  return { requestsPerS: count / seconds, p50Ms, p99Ms, cpu };
}

export async function createJob(
  contestant: Contestant,
  terms: { servers: Server[]; connections: number; roundMs: number },
): Promise<Job> {
  const { method, path, headers = {}, isOnce = false } = contestant;
  return {
    origins: terms.servers.map(({ origin }) => origin),
    method,
    path,
    headers,
    requests: await contestant.requests(),
    isOnce,
    connections: terms.connections,
    durationMs: terms.roundMs,
  };
}

function readCpu({ postmasterPid }: Stage, servers: Server[]): Cpu | null {
  if (postmasterPid === null) return null;
  const spent = [postmasterPid, ...servers.map(({ pid }) => pid)].map(readCpuMs);
  if (!spent.every((ms) => ms !== null)) return null;
  const [postgres = 0, ...each] = spent;
  return { server: each.reduce((sum, ms) => sum + ms, 0), postgres };
}

function perRequest(before: Cpu, after: Cpu, count: number): Cpu {
  const each = (of: keyof Cpu) => ((after[of] - before[of]) * 1_000) / count;
  return { server: each('server'), postgres: each('postgres') };
}

function describeRound(name: string, { requestsPerS, p50Ms, p99Ms, cpu }: Round): string {
  const spent = cpu
    ? `, CPU ${Math.round(cpu.server)} us + PostgreSQL ${Math.round(cpu.postgres)} us each`
    : '';
  return `${name}: ${Math.round(requestsPerS)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms${spent}`;
}

const requestsPerS: Measure = (round) => round.requestsPerS;

/** Measures the server and PostgreSQL, in microseconds a request. */
export const cpuPerRequest: Measure = ({ cpu }) => {
  if (!cpu) throw new Error('this system does not tell what processes cost');
  return cpu.server + cpu.postgres;
};

type Comparison = {
  measured: (stage: Stage) => Promise<Contestant>;
  reference: (stage: Stage) => Promise<Contestant>;
  connections: number;
  processes?: number;
  by?: Measure;
};

/** One against another, round by round: requests per second unless another measure is given. */
export async function compareRounds(
  stage: Stage,
  { measured, reference, by = requestsPerS, ...terms }: Comparison,
): Promise<number[]> {
  const contestants = { measured: await measured(stage), reference: await reference(stage) };
  const results = await compete(stage, contestants, terms);
  return ratios(results.measured.map(by), results.reference.map(by));
}
