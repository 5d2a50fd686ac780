import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createChildren, type Children } from '../process/children.ts';
import type { Launch } from '../process/launch.ts';
import { StartFailure } from '../process/run.ts';

export type Throwaway = { dataDir: string; children: Children };

/** The lock of the folder belongs to one launcher; the file marks the folder as ours. */
const LOCK = 'lock.sqlite';
const HOLDER = 'lock.pid';
const SQLITE_BUSY = 5;
// A handle that the garbage collector takes would take its lock along.
const held: DatabaseSync[] = [];

/** Opens the data folder for this process alone: makes a missing one, refuses one that holds something else. */
export function openDataDir(wanted: string): string {
  const path = resolve(wanted);
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!isOurs(path)) {
    throw new StartFailure(
      `${path} is not empty and was not made by Gatehouse, so it stays untouched. Set GATEHOUSE_DATA_DIR to a new or an empty folder.`,
    );
  }
  const dataDir = realpathSync(path);
  lock(dataDir);
  return dataDir;
}

/** Removes all data. Nothing of it may run. */
export function emptyDataDir(dataDir: string): void {
  if (!existsSync(join(dataDir, LOCK))) throw new Error(`${dataDir} is not a data folder`);
  for (const name of readdirSync(dataDir)) {
    if (name === LOCK || name === HOLDER) continue;
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

/** A data folder that is gone when the process is, as are the programs that were started on it. */
export function openThrowaway(
  { defer }: Pick<Launch, 'defer'>,
  { prefix, parent = tmpdir() }: { prefix: string; parent?: string },
): Throwaway {
  const dataDir = openDataDir(join(parent, `${prefix}${process.pid}-${Date.now()}`));
  const children = createChildren(dataDir);
  defer(() => children.stopAll());
  process.on('exit', () => {
    children.killAll();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { dataDir, children };
}

function isOurs(path: string): boolean {
  if (!statSync(path).isDirectory()) return false;
  const names = readdirSync(path);
  return names.length === 0 || names.includes(LOCK);
}

/** The lock of a SQLite file is the kernel's: it ends with the process, however that ends. */
function lock(dataDir: string): void {
  const file = new DatabaseSync(join(dataDir, LOCK));
  const holder = join(dataDir, HOLDER);
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    const pid = existsSync(holder) ? readFileSync(holder, 'utf8') : 'just started';
    throw new StartFailure(
      `Gatehouse already runs on ${dataDir} (process ${pid}). Stop that one first, or set GATEHOUSE_DATA_DIR to another folder.`,
    );
  }
  held.push(file);
  writeFileSync(holder, String(process.pid), { mode: 0o600 });
}
