import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from './running.ts';
import { waitUntil } from './wait.ts';

type Running = { name: string; pid: number; commandLine: string };

const STOP_MS = 10_000;

/** Notes a running program, so that the next launcher can end it when this one is killed. */
export function recordProcess(dataDir: string, running: Running): void {
  writeFileSync(join(openFolder(dataDir), `${running.name}.json`), JSON.stringify(running));
}

export function forgetProcess(dataDir: string, name: string): void {
  rmSync(join(dataDir, 'run', `${name}.json`), { force: true });
}

/** Ends what a killed launcher of this data folder left running; returns the names. */
export async function stopOrphans(dataDir: string): Promise<string[]> {
  const records = readRecords(dataDir);
  const orphans = records.filter(isStillRunning);
  const haveEnded = () => !orphans.some(isStillRunning);
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isStillRunning)) process.kill(-pid, signal);
    const patience = { timeoutMs: STOP_MS };
    await waitUntil(haveEnded, 'The end of an earlier run', patience).catch(() => undefined);
  }
  for (const { name } of records) forgetProcess(dataDir, name);
  return orphans.map(({ name }) => name);
}

/** What was started for a data folder and has not ended while its launcher lived. */
export function readRecords(dataDir: string): Running[] {
  const folder = openFolder(dataDir);
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

/** Its number may belong to another program by now. */
export function isStillRunning({ pid, commandLine }: Running): boolean {
  return readCommandLine(pid).includes(commandLine);
}

function openFolder(dataDir: string): string {
  const folder = join(dataDir, 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
