import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../process/command.ts';
import type { Search } from './temporal-binary.ts';

const VERSION = 'v1.9.1';
const REACHABLE_MS = 15_000;
const DOWNLOAD_MS = 300_000;

/** Fetches the official release into the cache folder; gives up soon where it cannot be reached. */
export async function downloadTemporal(folder: string, search: Search): Promise<string> {
  search.announce(`Temporal: downloading the official release ${VERSION} ...`);
  const draft = `${folder}.new-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const unreachable = new AbortController();
  const timer = setTimeout(() => {
    if (readdirSync(draft).length === 0) unreachable.abort();
  }, REACHABLE_MS);
  try {
    // In a process of its own: the SDK's download cannot be called off.
    await runCommand({
      command: process.execPath,
      args: [fileURLToPath(import.meta.url), draft],
      env: search.environment,
      signal: AbortSignal.any([search.signal, unreachable.signal]),
      timeoutMs: DOWNLOAD_MS,
    });
    const [file] = readdirSync(draft);
    if (!file) throw new Error('the download left no file');
    const binary = join(folder, 'temporal');
    mkdirSync(folder, { recursive: true });
    renameSync(join(draft, file), binary);
    return binary;
  } catch (fault) {
    const reason = unreachable.signal.aborted
      ? `no answer within ${REACHABLE_MS / 1000} s`
      : (fault as Error).message.split('\n').at(-1);
    throw new Error(reason, { cause: fault });
  } finally {
    clearTimeout(timer);
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const downloadDir = process.argv[2];
  if (!downloadDir) throw new Error('the folder to download into is missing');
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  try {
    const server = {
      executable: { type: 'cached-download', version: VERSION, downloadDir },
    } as const;
    const environment = await TestWorkflowEnvironment.createLocal({ server });
    await environment.teardown();
  } catch (fault) {
    // The innermost of many nested reasons.
    console.error((fault as Error).message.split(' error: ').at(-1));
    process.exitCode = 1;
  }
}
