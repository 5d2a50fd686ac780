import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../process/run.ts';
import type { Search } from './temporal-binary.ts';

const VERSION = 'v1.9.1';
const REACHABLE_MS = 15_000;
const DOWNLOAD_MS = 300_000;

/** Fetches the official release into the cache folder; gives up soon where it cannot be reached. */
export async function downloadTemporal(folder: string, search: Search): Promise<string> {
  search.announce(`Temporal: downloading the official release ${VERSION} ...`);
  const draft = `${folder}.new-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  // In a process of its own: the SDK's download cannot be called off.
  const downloading = run(process.execPath, [fileURLToPath(import.meta.url), draft], {
    env: search.environment,
    cancelSignal: search.signal,
    timeout: DOWNLOAD_MS,
    reject: false,
  });
  const timer = setTimeout(() => {
    if (readdirSync(draft).length === 0) downloading.kill();
  }, REACHABLE_MS);
  try {
    const { stderr } = await downloading;
    const [file] = readdirSync(draft);
    if (!file) throw new Error(stderr.at(-1) ?? 'no answer in time');
    const binary = join(folder, 'temporal');
    mkdirSync(folder, { recursive: true });
    renameSync(join(draft, file), binary);
    return binary;
  } finally {
    clearTimeout(timer);
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [, , downloadDir] = process.argv;
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  try {
    const executable = {
      type: 'cached-download',
      version: VERSION,
      downloadDir: downloadDir!,
    } as const;
    const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
    await environment.teardown();
  } catch (error) {
    // The innermost of many nested reasons.
    console.error((error as Error).message.split(' error: ').at(-1));
    process.exitCode = 1;
  }
}
