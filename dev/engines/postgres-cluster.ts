import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { endsWithin } from '../process/wait.ts';
import { runCommand } from '../process/command.ts';
import type { PostgresAccount } from './postgres-account.ts';
import { identifyProcess, readCommandLine } from '../process/identity.ts';

export interface Installation {
  account: PostgresAccount;
  binDir: string;
  folder: string;
}

interface ClusterOptions {
  password: string;
  isDurable: boolean;
  signal: AbortSignal;
}

const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
const INIT_MS = 120_000;
const UNCOLLECTED_MS = 2_000;
const ORPHAN_STOPS = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
] as const;

/** How one of PostgreSQL's programs is started under its account. */
export function invoke({ account, binDir }: Installation, program: string, args: string[]) {
  const [command = '', ...rest] = [...account.prefix, join(binDir, program), ...args];
  return { command, args: rest, account: account.startAs, env: POSTGRES_ENVIRONMENT, cwd: '/' };
}

/** Makes the cluster under another name first: what an interrupted run left half made is never taken for one. */
export async function initialiseCluster(
  installation: Installation,
  { password, isDurable, signal }: ClusterOptions,
): Promise<void> {
  const { folder } = installation;
  removeDrafts(folder);
  const draft = `${folder}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const { owner } = installation.account;
  if (owner) for (const path of [draft, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const args = [
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
  try {
    await runCommand({ ...invoke(installation, 'initdb', args), signal, timeoutMs: INIT_MS });
    renameSync(draft, folder);
  } catch (fault) {
    signal.throwIfAborted();
    throw new StartFailure(`PostgreSQL cannot make its data folder: ${(fault as Error).message}`);
  } finally {
    removeDrafts(folder);
  }
}

/**
 * Ends a server that a killed launcher left on this cluster. A pid file whose number belongs to another program by now
 * would stop PostgreSQL for good; one of a dead process it handles itself, and better: it also looks for its memory.
 */
export async function clearPidFile(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const pid = readPid(file);
  if (pid === undefined) return;
  if (identifyProcess(pid) === undefined) {
    // A dead process that nobody has collected yet looks alive to PostgreSQL.
    if (!(await endsWithin(() => !isKnown(pid), UNCOLLECTED_MS))) rmSync(file, { force: true });
    return;
  }
  const isOurs = () => readCommandLine(pid).includes(`-D ${folder}`);
  if (!isOurs()) {
    rmSync(file, { force: true });
    return;
  }
  for (const { signal, waitMs } of ORPHAN_STOPS) {
    process.kill(pid, signal);
    if (await endsWithin(() => !isOurs(), waitMs)) return;
  }
  throw new StartFailure(
    `PostgreSQL of an earlier run (process ${pid}) cannot be stopped: end it and start again.`,
  );
}

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function removeDrafts(folder: string): void {
  const parent = dirname(folder);
  for (const name of readdirSync(parent)) {
    if (join(parent, name).startsWith(`${folder}.new-`)) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}
