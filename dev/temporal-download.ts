import { lookup } from 'node:dns/promises';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readHostEnvironment } from '../platform/config.ts';
import { run } from './process/run.ts';

const VERSION = 'v1.9.1';
const HOST = 'temporal.download';
const STILL_MS = 5_000;
const LOOK_EVERY_MS = 250;

/** Fetches the official release into the folder. */
export async function downloadTemporal(folder: string, signal: AbortSignal): Promise<string> {
  console.log(`Temporal: downloading the official release ${VERSION} (45 MB, only this once) ...`);
  await findHost(signal);
  // In a process of its own: the SDK's download cannot be called off.
  return runDownload(import.meta.filename, folder, signal);
}

/** Spares a machine without a way out the second that the SDK takes to load; a proxy finds the host itself. */
async function findHost(signal: AbortSignal): Promise<void> {
  const { HTTPS_PROXY, https_proxy = HTTPS_PROXY } = readHostEnvironment();
  if (https_proxy) return;
  const silence = delay(STILL_MS, undefined, { signal, ref: false }).then(() => {
    throw new Error(`the name of ${HOST} was not found in ${STILL_MS / 1000} s`);
  });
  await Promise.race([lookup(HOST), silence]);
}

/** Runs a script that downloads one file into the folder; ends it when no file there has grown for five seconds. */
export async function runDownload(
  script: string,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const downloading = run(process.execPath, [script, folder], {
    env: readHostEnvironment(),
    cancelSignal: signal,
    reject: false,
  });
  let bytes = 0;
  let grownAt = performance.now();
  const timer = setInterval(() => {
    const now = sizeOf(folder);
    if (now !== bytes) grownAt = performance.now();
    bytes = now;
    if (performance.now() - grownAt > STILL_MS) downloading.kill();
  }, LOOK_EVERY_MS);
  const { failed, isTerminated, stderr } = await downloading;
  clearInterval(timer);
  if (isTerminated) throw new Error(`no byte came for ${STILL_MS / 1000} s, after ${bytes} bytes`);
  const [file] = readdirSync(folder);
  if (failed || !file) throw new Error(stderr.at(-1) ?? 'the download left no file');
  return join(folder, file);
}

function sizeOf(folder: string): number {
  const sizes = readdirSync(folder).map((name) => {
    // A file may have got its final name since it was listed.
    return statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

if (import.meta.main) {
  const [, , downloadDir = ''] = process.argv;
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  try {
    const executable = { type: 'cached-download', version: VERSION, downloadDir } as const;
    const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
    await environment.teardown();
  } catch (error) {
    // The innermost of many nested reasons.
    console.error((error as Error).message.split(' error: ').at(-1));
    process.exitCode = 1;
  }
}
