import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const KIB_PER_MIB = 1_024;
const EVERY_MS = 1_000;
const SAMPLES = 10;
/** Settled: within so much of each other. */
const SPREAD = 1.02;
const TIMEOUT_S = 90;

/** What a process holds of the machine's memory, or the most that it has held since its peak was reset. */
export function readMemoryMiB(pid: number, what: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const [, kib] = new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(readStatus(pid)) ?? [];
  return Number(kib) / KIB_PER_MIB;
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (cause) {
    throw new Error('this system does not tell what processes hold', { cause });
  }
}

/** The last samples, once the process holds as much as it did seconds before. */
export async function sampleUntilSettled(pid: number): Promise<number[]> {
  const samples: number[] = [];
  while (samples.length < TIMEOUT_S) {
    await delay(EVERY_MS);
    samples.push(readMemoryMiB(pid));
    const last = samples.slice(-SAMPLES);
    const isSettled = Math.max(...last) <= Math.min(...last) * SPREAD;
    if (last.length === SAMPLES && isSettled) return last;
  }
  throw new Error(`memory did not settle within ${TIMEOUT_S} s`);
}
