import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { readHostEnvironment } from '../../platform/config.ts';
import { cacheFolder } from '../../dev/temporal-binary.ts';
import { run } from '../../dev/process/run.ts';

const INSTALL_MS = 300_000;

type Installation = {
  name: string;
  /** The exact versions: others get a folder of their own. */
  versions: string;
  install: (folder: string, run: RunToEnd) => Promise<unknown>;
};
type RunToEnd = (program: string, args: string[], env?: Record<string, string>) => Promise<unknown>;

/** The folder outside of this repository that `install` filled, once for each list of exact versions. */
export async function installOnce({ name, versions, install }: Installation): Promise<string> {
  const folder = join(cacheFolder(), `${name}-${hash('sha256', versions).slice(0, 12)}`);
  const installed = join(folder, 'installed');
  if (!existsSync(installed)) {
    console.log(`Installing ${name}, once: about half a minute`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await install(folder, (program, args, env) =>
      run(program, args, {
        env: { ...readHostEnvironment(), ...env },
        cwd: folder,
        timeout: INSTALL_MS,
      }),
    );
    writeFileSync(installed, '');
  }
  return folder;
}
