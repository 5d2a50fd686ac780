import type { Account } from '../process/children.ts';
import { StartFailure } from '../process/failure.ts';
import { run } from '../process/run.ts';

export interface PostgresAccount {
  /** The owner of its files, when that is not the account we run under. */
  owner?: Account;
  /** The account its programs are started as; or else what stands before the command. */
  account?: Account;
  prefix?: string[];
}

/**
 * PostgreSQL refuses to run as root: then it runs as `nobody`. Where a folder above its files is closed to that account
 * (a checkout under /root, a folder by mktemp), it keeps the one capability to pass through it.
 */
export async function choosePostgresAccount(
  binDir: string,
  dataDir: string,
): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return {};
  const account = await findNobody();
  const probe = ['-c', 'cd "$1" && "$2/initdb" --version', 'sh', dataDir, binDir];
  const { failed } = await run('/bin/sh', probe, { ...account, cwd: '/', reject: false });
  return failed ? { owner: account, prefix: setpriv(account) } : { owner: account, account };
}

// Without no_setuid_fixup the kernel hides the capability from access(2), by which PostgreSQL looks for its own files.
function setpriv({ uid, gid }: Account): string[] {
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

async function findNobody(): Promise<Account> {
  const ask = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  try {
    return { uid: await ask('-u'), gid: await ask('-g') };
  } catch {
    throw new StartFailure(
      'PostgreSQL does not run as root, and this machine has no account "nobody". Run as another user than root.',
    );
  }
}
