import { readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

/** What a process holds of the machine's memory. */
export function readMemoryMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readStatus(pid)) ?? [];
  return Number(kib) / KIB_PER_MIB;
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (cause) {
    throw new Error('this system does not tell what processes hold', { cause });
  }
}
