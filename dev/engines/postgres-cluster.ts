import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { run } from '../process/run.ts';
import { readCommandLine } from '../process/running.ts';
import type { PostgresAccount } from './postgres-account.ts';

export interface Installation extends PostgresAccount {
  binDir: string;
  folder: string;
}

export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
const INIT_MS = 120_000;

/** Makes the cluster under another name first: what an interrupted run left half made is never taken for one. */
export async function initialiseCluster(
  { folder, binDir, owner, account, prefix = [] }: Installation,
  { password, isDurable, signal }: { password: string; isDurable: boolean; signal: AbortSignal },
): Promise<void> {
  const draft = `${folder}.new`;
  const passwordFile = `${draft}.password`;
  const removeDrafts = () => {
    for (const path of [draft, passwordFile]) rmSync(path, { recursive: true, force: true });
  };
  removeDrafts();
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) for (const path of [draft, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const [file = '', ...args] = [
    ...prefix,
    join(binDir, 'initdb'),
    `--pgdata=${draft}`,
    `--pwfile=${passwordFile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(isDurable ? [] : ['--no-sync']),
  ];
  const limits = { cancelSignal: signal, timeout: INIT_MS };
  try {
    await run(file, args, { ...account, ...limits, env: POSTGRES_ENVIRONMENT, cwd: '/' });
    renameSync(draft, folder);
  } catch (error) {
    signal.throwIfAborted();
    const asNobody = owner
      ? '\nIt does not run as root: it runs as "nobody". Run as another user than root, or install `setpriv` (package util-linux).'
      : '';
    throw new StartFailure(
      `PostgreSQL cannot make its data folder: ${(error as Error).message}${asNobody}`,
    );
  } finally {
    removeDrafts();
  }
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
