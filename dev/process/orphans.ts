import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signalGroup } from './command.ts';
import { identifyProcess } from './identity.ts';
import { StartFailure } from './failure.ts';
import { endsWithin } from './wait.ts';

export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

interface ProcessRecord {
  name: string;
  pid: number;
  stop: StopStep[];
}

type StoredRecord = ProcessRecord & { identity: string };

/** Notes a running program, so that the next launcher can end it when this one is killed. */
export function recordProcess(dataDir: string, record: ProcessRecord): void {
  const identity = identifyProcess(record.pid);
  if (!identity) return;
  const folder = join(dataDir, 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${record.name}.json`), JSON.stringify({ ...record, identity }));
}

export function forgetProcess(dataDir: string, name: string): void {
  rmSync(join(dataDir, 'run', `${name}.json`), { force: true });
}

/** Ends what a killed launcher of this data folder left running; returns the names. */
export async function stopOrphans(dataDir: string): Promise<string[]> {
  const records = readRecords(join(dataDir, 'run'));
  const orphans = records.filter(isAlive);
  await Promise.all(orphans.map(stopOrphan));
  for (const { name } of records) forgetProcess(dataDir, name);
  return orphans.map(({ name }) => name);
}

function readRecords(folder: string): StoredRecord[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder).flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(join(folder, file), 'utf8')) as StoredRecord];
    } catch {
      return []; // written half way by a launcher that was killed
    }
  });
}

async function stopOrphan(record: StoredRecord): Promise<void> {
  for (const { signal, waitMs } of record.stop) {
    signalGroup(record.pid, signal);
    if (await endsWithin(() => !isAlive(record), waitMs)) return;
  }
  throw new StartFailure(
    `A ${record.name} of an earlier run (process ${record.pid}) cannot be stopped: end it and start again.`,
  );
}

function isAlive({ pid, identity }: StoredRecord): boolean {
  return identifyProcess(pid) === identity;
}
