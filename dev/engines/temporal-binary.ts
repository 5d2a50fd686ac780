import { accessSync, constants, existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { delimiter, join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { runCommand } from '../process/command.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';

export interface Search {
  environment: Record<string, string>;
  signal: AbortSignal;
  announce: (line: string) => void;
  /** Shows how far a long step is; each call replaces the line before. */
  progress: (line: string) => void;
}

const NEEDED = { major: 1, minor: 32 };
const VERSION_MS = 20_000;
const BUILT = 'temporal-cli-1.8.2-server-1.32.0';
const DOWNLOADED = 'temporal-cli-1.9.1';

/** Finds or makes a Temporal development server that is new enough: the quickest way that works wins. */
export async function findTemporal(search: Search): Promise<string> {
  const cache = cacheFolder(search.environment);
  const reasons: string[] = [];
  const found =
    (await findOnPath(search, reasons)) ??
    (await firstUsable(
      [join(cache, BUILT, 'temporal'), join(cache, DOWNLOADED, 'temporal')],
      search,
    ));
  if (found) return found;
  const ways = [
    { name: 'Download', make: () => downloadTemporal(join(cache, DOWNLOADED), search) },
    { name: 'Build by Go', make: () => buildTemporal(join(cache, BUILT), search) },
  ];
  for (const { name, make } of ways) {
    try {
      const binary = await make();
      const version = await readServerVersion(binary, search);
      if (isNewEnough(version)) return binary;
      reasons.push(`${name}: the server is ${version}, older than 1.32`);
    } catch (fault) {
      search.signal.throwIfAborted();
      reasons.push(`${name}: ${(fault as Error).message}`);
    }
    search.announce(`Temporal: ${reasons.at(-1)}`);
  }
  throw new StartFailure(explainNone(reasons));
}

async function findOnPath(search: Search, reasons: string[]): Promise<string | undefined> {
  const folders = (search.environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  const binary = folders.map((folder) => join(folder, 'temporal')).find(isExecutable);
  if (!binary) {
    reasons.push('PATH: no `temporal` there');
    return undefined;
  }
  const version = await readServerVersion(binary, search);
  if (isNewEnough(version)) return binary;
  reasons.push(`PATH: the server of ${binary} is ${version}, older than 1.32`);
  search.announce(`Temporal: ${reasons.at(-1)}`);
  return undefined;
}

async function firstUsable(binaries: string[], search: Search): Promise<string | undefined> {
  for (const binary of binaries.filter((path) => existsSync(path))) {
    if (isNewEnough(await readServerVersion(binary, search))) return binary;
  }
  return undefined;
}

async function readServerVersion(binary: string, search: Search): Promise<string> {
  const { environment: env, signal } = search;
  const task = { command: binary, args: ['--version'], env, signal, timeoutMs: VERSION_MS };
  const lines = await runCommand(task).catch(() => {
    signal.throwIfAborted();
    return [];
  });
  return /Server (\d+\.\d+\.\d+)/.exec(lines.join(' '))?.[1] ?? 'unknown';
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Shared by all checkouts of this user. */
export function cacheFolder(environment: Record<string, string>): string {
  const home = environment['HOME'] ?? homedir();
  const usual = platform() === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(environment['XDG_CACHE_HOME'] ?? usual, 'gatehouse');
}

function explainNone(reasons: string[]): string {
  return [
    'Gatehouse needs a Temporal development server of version 1.32 or newer, and found no way to one:',
    ...reasons.map((reason) => `  - ${reason.replaceAll('\n', '\n    ')}`),
    'Three ways out, each enough:',
    '  1. Install the Temporal CLI 1.9 or newer, so that `temporal` is on PATH: https://docs.temporal.io/cli',
    '  2. Install Go 1.26.8 or newer with access to its module proxy: the server is then built from source, once.',
    '  3. Set TEMPORAL_ADDRESS=host:port to a Temporal server that runs already.',
  ].join('\n');
}
