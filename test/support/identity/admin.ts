import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../../../platform/config.ts';

const ADMIN = fileURLToPath(new URL('../../../scripts/admin/main.ts', import.meta.url));

/** `npm run admin -- ...` as a process of its own, with these settings and no others of ours. */
export async function runAdmin(args: string[], settings: Record<string, string> = {}) {
  const running = spawn(process.execPath, [ADMIN, ...args], {
    env: { ...readHostEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  running.stdout.on('data', (chunk) => (said.out += String(chunk)));
  running.stderr.on('data', (chunk) => (said.err += String(chunk)));
  const [exitCode] = (await once(running, 'close')) as [number | null];
  return { exitCode, ...said };
}
