import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFailure } from '../process/failure.ts';
import { runCommand } from '../process/command.ts';
import type { Account, Command } from '../process/command.ts';

export interface PostgresAccount {
  /** Who owns its files, when that is not the account we run under. */
  owner?: Account;
  /** Who its programs are started as; or else what stands before the command. */
  startAs?: Account;
  prefix: string[];
}

/**
 * PostgreSQL refuses to run as root: then it runs as `nobody`. Where a folder above its files is closed to that account
 * (a checkout under /root, a folder by mktemp), it keeps the one capability to pass through it.
 */
export async function choosePostgresAccount(
  binDir: string,
  dataDir: string,
  signal: AbortSignal,
): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const account = findNobody();
  const probe = join(dataDir, `postgres.probe-${process.pid}`);
  mkdirSync(probe, { mode: 0o700 });
  chownSync(probe, account.uid, account.gid);
  const canWork = (prefix: string[], as?: Account) =>
    canWorkIn({ probe, binDir, prefix, as, signal });
  try {
    if (await canWork([], account)) return { owner: account, startAs: account, prefix: [] };
    const prefix = setprivPrefix(account);
    if (await canWork(prefix)) return { owner: account, prefix };
  } finally {
    chownSync(probe, 0, 0);
    rmSync(probe, { recursive: true, force: true });
  }
  signal.throwIfAborted();
  const closed = findClosedFolder(probe, account) ?? findClosedFolder(binDir, account) ?? dataDir;
  throw new StartFailure(
    `PostgreSQL does not run as root, and the account "nobody", as which it would run, may not pass through ${closed}.\n` +
      `Ways out: run as another user than root; or \`chmod o+x ${closed}\`; or install \`setpriv\` (package util-linux).`,
  );
}

interface Probe {
  probe: string;
  binDir: string;
  prefix: string[];
  as?: Account | undefined;
  signal: AbortSignal;
}

async function canWorkIn({ probe, binDir, prefix, as, signal }: Probe): Promise<boolean> {
  const script = 'cd "$1" && : > written && "$2/postgres" --version && "$2/initdb" --version';
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', script, 'sh', probe, binDir];
  const task: Command = {
    command,
    args,
    env: {},
    cwd: '/',
    account: as,
    signal,
    timeoutMs: 10_000,
  };
  return runCommand(task).then(
    (lines) => !lines.some((line) => line.includes('invalid binary')),
    () => false,
  );
}

// Without no_setuid_fixup the kernel hides the capability from access(2), by which PostgreSQL looks for its own files.
function setprivPrefix({ uid, gid }: Account): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--',
  ];
}

function findNobody(): Account {
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  try {
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    throw new StartFailure(
      'PostgreSQL does not run as root, and this machine has no account "nobody". Run as another user than root.',
    );
  }
}

function findClosedFolder(path: string, account: Account): string | undefined {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const { mode, uid, gid } = statSync(parent);
  const isOpen =
    account.uid === uid ? mode & 0o100 : account.gid === gid ? mode & 0o010 : mode & 0o001;
  return findClosedFolder(parent, account) ?? (isOpen ? undefined : parent);
}
