import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartFailure } from '../process/failure.ts';

export interface Lock {
  release(): void;
}

const SQLITE_BUSY = 5;
// A handle that the garbage collector takes would take its lock along.
const held = new Set<DatabaseSync>();

/** One launcher per data folder. The lock of a SQLite file is the kernel's: it ends with the process, however that ends. */
export function acquireLock(dataDir: string): Lock {
  const file = new DatabaseSync(join(dataDir, 'lock.sqlite'));
  const holder = join(dataDir, 'lock.pid');
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
  writeFileSync(holder, String(process.pid), { mode: 0o600 });
  held.add(file);
  return {
    release() {
      held.delete(file);
      file.close();
    },
  };
}
