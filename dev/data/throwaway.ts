import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren, type Children } from '../process/children.ts';
import type { Launch } from '../process/launch.ts';
import { openDataDir } from './data-dir.ts';
import { acquireLock } from './lock.ts';

export type Throwaway = { dataDir: string; children: Children };

/** A data folder that is gone when the process is, as are the programs that were started on it. */
export function openThrowaway({ onExit }: Pick<Launch, 'onExit'>, prefix: string): Throwaway {
  const dataDir = openDataDir(join(tmpdir(), `${prefix}${process.pid}-${Date.now()}`));
  const lock = acquireLock(dataDir);
  const children = createChildren(dataDir);
  // In reverse: who is asked to release a lock in a folder that is gone fails, and the process stays.
  onExit(() => rmSync(dataDir, { recursive: true, force: true }));
  onExit(() => lock.release());
  onExit(() => children.killAll());
  return { dataDir, children };
}
