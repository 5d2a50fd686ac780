import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { StartFailure } from '../process/failure.ts';

const MARKER = 'gatehouse-data';
const KEPT = /^(gatehouse-data|lock\..*)$/;

/** The data folder, made when it is missing; one that holds something else is refused. */
export function openDataDir(wanted: string): string {
  const path = resolve(wanted);
  const isNew = !existsSync(path);
  if (!isNew && !statSync(path).isDirectory()) {
    throw new StartFailure(
      `${path} is not a folder. Set GATEHOUSE_DATA_DIR to a new or an empty one.`,
    );
  }
  mkdirSync(path, { recursive: true });
  // Passable, for PostgreSQL under another account; what is secret in it has modes of its own.
  if (isNew) chmodSync(path, 0o711);
  const dataDir = realpathSync(path);
  const names = readdirSync(dataDir);
  if (names.length > 0 && !names.includes(MARKER)) {
    throw new StartFailure(
      `${dataDir} is not empty and was not made by Gatehouse, so it stays untouched. Set GATEHOUSE_DATA_DIR to a new or an empty folder.`,
    );
  }
  if (names.length === 0) writeFileSync(join(dataDir, MARKER), 'Made by `npm start`.\n');
  return dataDir;
}

/** Removes all data. To be called under the lock, with nothing of it running. */
export function emptyDataDir(dataDir: string): void {
  if (!existsSync(join(dataDir, MARKER))) throw new Error(`${dataDir} is not a data folder`);
  for (const name of readdirSync(dataDir).filter((name) => !KEPT.test(name))) {
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}
