import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess } from '../process/identity.ts';
import { StartFailure } from '../process/failure.ts';

export interface Lock {
  release(): void;
}

const LOCK = /^lock\.(\d+)$/;

/**
 * One launcher per data folder. Each holder links the next number, which only one can do; a number is never used twice
 * and the highest one is never removed, so that a starter that slept on an old reading cannot take a lock that is held.
 */
export function acquireLock(dataDir: string): Lock {
  const content = { pid: process.pid, identity: identifyProcess(process.pid) };
  const draft = join(dataDir, `lock.draft-${process.pid}`);
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  try {
    for (;;) {
      const latest = latestNumber(dataDir);
      refuseWhileHeld(dataDir, latest);
      const path = join(dataDir, `lock.${latest + 1}`);
      if (!canLink(draft, path)) continue;
      if (latestNumber(dataDir) !== latest + 1) {
        rmSync(path, { force: true });
        continue;
      }
      removeOlder(dataDir, latest + 1);
      return { release: () => writeFileSync(path, '{}') };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function lockNumbers(dataDir: string): number[] {
  return readdirSync(dataDir).flatMap((name) => {
    const number = LOCK.exec(name)?.[1];
    return number ? [Number(number)] : [];
  });
}

function latestNumber(dataDir: string): number {
  return Math.max(0, ...lockNumbers(dataDir));
}

function refuseWhileHeld(dataDir: string, number: number): void {
  const holder = readHolder(join(dataDir, `lock.${number}`));
  if (holder.pid === undefined || holder.identity === undefined) return;
  if (identifyProcess(holder.pid) !== holder.identity) return;
  throw new StartFailure(
    `Gatehouse already runs on ${dataDir} (process ${holder.pid}). Stop that one first, or set GATEHOUSE_DATA_DIR to another folder.`,
  );
}

function readHolder(path: string): { pid?: number; identity?: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

function canLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  }
}

function removeOlder(dataDir: string, number: number): void {
  for (const older of lockNumbers(dataDir).filter((other) => other < number)) {
    rmSync(join(dataDir, `lock.${older}`), { force: true });
  }
}
