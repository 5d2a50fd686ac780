// The processes of a data folder, by the files in its `run`.
import { execaSync } from 'execa';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from './run.ts';

type Running = { name: string; pid: number; commandLine: string };

const STOP_MS = 10_000;

/** Records a process, so that the next launcher can end it when this one is killed. */
export function recordProcess(dataDir: string, running: Running): void {
  const file = join(openFolder(dataDir), `${running.name}.json`);
  writeFileSync(file, JSON.stringify(running));
}

export function forgetProcess(dataDir: string, name: string): void {
  rmSync(join(dataDir, 'run', `${name}.json`), { force: true });
}

/** Every recorded process that did not end under its launcher. */
export function readRecords(dataDir: string): Running[] {
  const folder = openFolder(dataDir);
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

/** Ends what a killed launcher of this data folder left running; returns the names. */
export async function stopOrphans(dataDir: string): Promise<string[]> {
  const records = readRecords(dataDir);
  const orphans = records.filter(isStillRunning);
  const haveEnded = () => !orphans.some(isStillRunning);
  const limit = { what: 'The end of an earlier run', timeoutMs: STOP_MS };
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isStillRunning)) process.kill(-pid, signal);
    await waitUntil(haveEnded, limit).catch(() => undefined);
  }
  for (const { name } of records) forgetProcess(dataDir, name);
  return orphans.map(({ name }) => name);
}

/** True for the process itself: another program may have its number by now. */
export function isStillRunning({ pid, commandLine }: Running): boolean {
  return readCommandLine(pid).includes(commandLine);
}

/** The command and arguments of a running process, separated by spaces; empty when it has ended. */
export function readCommandLine(pid: number): string {
  try {
    if (existsSync('/proc/self')) {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    }
    return execaSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).stdout;
  } catch {
    return '';
  }
}

function openFolder(dataDir: string): string {
  const folder = join(dataDir, 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
