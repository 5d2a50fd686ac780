import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StartFailure } from '../process/run.ts';

/** Returns null when there is no such file. */
export function readJson<Content>(file: string, wayOut: string): Content | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new StartFailure(`${file} cannot be read as JSON. ${wayOut}`);
  }
}

/** Writes for the owner's eyes, aside and renamed: a killed start leaves the old file or the new one. */
export function writeJson(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
