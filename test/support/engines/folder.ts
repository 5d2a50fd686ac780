import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A folder that only its owner may enter, removed after the test. */
export function makeFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
