import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../process/command.ts';
import { identifyProcess } from '../process/identity.ts';
import type { Search } from './temporal-binary.ts';

const MODULE = fileURLToPath(new URL('../temporal-build', import.meta.url));
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const DRAFT = /^temporal\.(?:new|work)-(\d+)$/;

/** Builds the server with Go into the cache folder: minutes the first time. */
export async function buildTemporal(folder: string, search: Search): Promise<string> {
  mkdirSync(folder, { recursive: true });
  removeDeadDrafts(folder);
  const draft = join(folder, `temporal.new-${process.pid}`);
  // Go's own temporary folder would outlive an interrupted build.
  const work = join(folder, `temporal.work-${process.pid}`);
  const binary = join(folder, 'temporal');
  mkdirSync(work);
  const go = (args: string[], onLine?: () => void) => runGo(args, { search, work, onLine });
  try {
    search.announce('Temporal: fetching the sources for a build by Go (under a minute) ...');
    const packages = await go(['list', '-deps', PACKAGE]);
    search.announce(
      `Temporal: building ${packages.length} packages (about 4 minutes on 2 cores, only this once) ...`,
    );
    let built = 0;
    await go(['build', '-v', '-ldflags', '-s -w', '-o', draft, PACKAGE], () => {
      built += 1;
      const percent = Math.min(99, Math.floor((100 * built) / packages.length));
      search.progress(`Temporal: building, ${percent} % (${built} of ${packages.length} packages)`);
    });
    renameSync(draft, binary);
    return binary;
  } finally {
    for (const left of [draft, work]) rmSync(left, { recursive: true, force: true });
  }
}

type GoRun = { search: Search; work: string; onLine: (() => void) | undefined };

async function runGo(args: string[], { search, work, onLine }: GoRun): Promise<string[]> {
  const env = { ...search.environment, GOTMPDIR: work };
  const task = { command: 'go', args, env, cwd: MODULE, signal: search.signal };
  try {
    return await runCommand({ ...task, ...(onLine && { onLine }) });
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    throw new Error('there is no `go` on PATH', { cause: fault });
  }
}

function removeDeadDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = DRAFT.exec(name)?.[1];
    if (pid && !identifyProcess(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
