import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren, type Children } from '../process/children.ts';
import type { Launch } from '../process/launch.ts';
import { openDataDir } from './data-dir.ts';
import { acquireLock } from './lock.ts';

export type Throwaway = { dataDir: string; children: Children };

/** A data folder that is gone when the process is, as are the programs that were started on it. */
export function openThrowaway({ defer }: Pick<Launch, 'defer'>, prefix: string): Throwaway {
  const dataDir = openDataDir(join(tmpdir(), `${prefix}${process.pid}-${Date.now()}`));
  acquireLock(dataDir);
  const children = createChildren(dataDir);
  defer(() => children.stopAll());
  process.on('exit', () => {
    children.killAll();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { dataDir, children };
}
