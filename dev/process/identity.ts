import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** Tells one run of a program from a later one that was given the same number; undefined when it has ended. */
export function identifyProcess(pid: number): string | undefined {
  try {
    if (platform() !== 'linux') return identifyByPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; field 3 is the state, field 22 the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The command and arguments of a running process, separated by spaces. */
export function readCommandLine(pid: number): string {
  try {
    if (platform() !== 'linux') return ps(pid, 'args=');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function identifyByPs(pid: number): string | undefined {
  const [state = '', ...startedAt] = ps(pid, 'stat=,lstart=').split(/\s+/);
  return state === '' || state.startsWith('Z') ? undefined : startedAt.join(' ');
}

function ps(pid: number, columns: string): string {
  const answer = spawnSync('ps', ['-ww', '-o', columns, '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  });
  return answer.stdout?.trim() ?? '';
}
