import { homedir, platform } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { run } from '../process/run.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';

export interface Search {
  environment: Record<string, string>;
  signal: AbortSignal;
  announce: (line: string) => void;
  /** Shows how far a long step is; each call replaces the line before. */
  progress: (line: string) => void;
}

const BUILT = 'temporal-cli-1.8.2-server-1.32.0';
const DOWNLOADED = 'temporal-cli-1.9.1';

/** Finds or makes a Temporal development server that is new enough: the quickest way that works wins. */
export async function findTemporal(search: Search): Promise<string> {
  const { environment, signal, announce } = search;
  const built = join(cacheFolder(environment), BUILT);
  const downloaded = join(cacheFolder(environment), DOWNLOADED);
  const reasons: string[] = [];
  const note = (reason: string) => {
    reasons.push(reason);
    announce(`Temporal: ${reason}`);
  };
  const isUsable = async (binary: string) => {
    const version = await readServerVersion(binary, search);
    if (version === undefined) reasons.push(`${binary}: not there`);
    else if (!isNewEnough(version)) note(`${binary}: the server is ${version}, older than 1.32`);
    return version !== undefined && isNewEnough(version);
  };
  for (const binary of ['temporal', join(built, 'temporal'), join(downloaded, 'temporal')]) {
    if (await isUsable(binary)) return binary;
  }
  const ways = [
    { name: 'Download', make: () => downloadTemporal(downloaded, search) },
    { name: 'Build by Go', make: () => buildTemporal(built, search) },
  ];
  for (const { name, make } of ways) {
    try {
      const binary = await make();
      if (await isUsable(binary)) return binary;
    } catch (error) {
      signal.throwIfAborted();
      note(`${name}: ${(error as Error).message}`);
    }
  }
  throw new StartFailure(explainNone(reasons));
}

async function readServerVersion(
  binary: string,
  { environment, signal }: Search,
): Promise<string | undefined> {
  const options = {
    env: environment,
    cancelSignal: signal,
    timeout: 20_000,
    reject: false,
  } as const;
  const { code, all } = await run(binary, ['--version'], options);
  signal.throwIfAborted();
  if (code === 'ENOENT') return undefined;
  return /Server (\d+\.\d+\.\d+)/.exec(all?.join(' ') ?? '')?.[1] ?? 'unknown';
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 32);
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
