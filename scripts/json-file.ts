import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../platform/config.ts';

/** Returns null when there is no such file. */
export function readJson<Content>(file: string): Content | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ConfigurationError(`Cannot read ${file}.`, { cause: error });
  }
}
