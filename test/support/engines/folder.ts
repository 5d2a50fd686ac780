import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

// A database is 780 files: a disk's file system takes half a second of a core to make them, memory
// a thirtieth of that. In a container the folder may be too small for it.
export const MEMORY = '/dev/shm';
const NEEDED_BYTES = 3 * 1024 ** 3;

/** Where throwaway data lies: in memory where there is enough of it. */
export function findParent(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY;
}

/** A folder that only its owner may enter, removed after the test. */
export function makeFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(findParent(), 'gatehouse-folder-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
