import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readHostEnvironment } from '../platform/config.ts';
import { run } from './process/run.ts';

const VERSION = 'v1.9.1';
const REACHABLE_MS = 15_000;
const DOWNLOAD_MS = 300_000;

/** Fetches the official release into the folder; gives up soon where it cannot be reached. */
export async function downloadTemporal(folder: string, signal: AbortSignal): Promise<string> {
  console.log(`Temporal: downloading the official release ${VERSION} ...`);
  // In a process of its own: the SDK's download cannot be called off.
  const downloading = run(process.execPath, [import.meta.filename, folder], {
    env: readHostEnvironment(),
    cancelSignal: signal,
    timeout: DOWNLOAD_MS,
    reject: false,
  });
  const timer = setTimeout(() => {
    if (readdirSync(folder).length === 0) downloading.kill();
  }, REACHABLE_MS);
  const { stderr } = await downloading;
  clearTimeout(timer);
  const [file] = readdirSync(folder);
  if (!file) throw new Error(stderr.at(-1) ?? 'no answer in time');
  return join(folder, file);
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
