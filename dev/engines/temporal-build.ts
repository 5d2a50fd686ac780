import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../process/run.ts';
import { readCommandLine } from '../process/running.ts';
import type { Search } from './temporal-binary.ts';

const MODULE = fileURLToPath(new URL('../temporal-build', import.meta.url));
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const DRAFT = 'temporal.new-';

/** Builds the server with Go into the cache folder: minutes the first time. */
export async function buildTemporal(folder: string, search: Search): Promise<string> {
  const { environment, signal, announce, progress } = search;
  removeDeadDrafts(folder);
  // Go's own temporary folder would outlive an interrupted build.
  const draft = join(folder, `${DRAFT}${process.pid}`);
  mkdirSync(draft, { recursive: true });
  const env = { ...environment, GOTMPDIR: draft };
  const go = (args: string[]) => run('go', args, { env, cwd: MODULE, cancelSignal: signal });
  try {
    announce('Temporal: fetching the sources for a build by Go (under a minute) ...');
    const { length: total } = (await go(['list', '-deps', PACKAGE])).stdout;
    announce(
      `Temporal: building ${total} packages (about 4 minutes on 2 cores, only this once) ...`,
    );
    const built = join(draft, 'temporal');
    const building = go(['build', '-v', '-ldflags', '-s -w', '-o', built, PACKAGE]);
    let packages = 0;
    for await (const _ of building.iterable({ from: 'stderr' })) {
      packages += 1;
      const percent = Math.min(99, Math.floor((100 * packages) / total));
      progress(`Temporal: building, ${percent} % (${packages} of ${total} packages)`);
    }
    const binary = join(folder, 'temporal');
    renameSync(built, binary);
    return binary;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function removeDeadDrafts(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.startsWith(DRAFT))) {
    if (readCommandLine(Number(name.slice(DRAFT.length))) === '')
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
