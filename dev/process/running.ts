import { execaSync } from 'execa';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** The command and arguments of a running process, separated by spaces; empty when it has ended. */
export function readCommandLine(pid: number): string {
  try {
    if (platform() === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    }
    return execaSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).stdout;
  } catch {
    return '';
  }
}
