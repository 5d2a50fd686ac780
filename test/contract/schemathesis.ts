import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../../platform/config.ts';
import { cacheFolder } from '../../dev/temporal-binary.ts';
import { run } from '../../dev/process/run.ts';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const INSTALL_MS = 300_000;

/** The program, installed once for each list of exact versions into a folder of its own. */
export async function installSchemathesis(): Promise<string> {
  const env = readHostEnvironment();
  const versions = hash('sha256', readFileSync(REQUIREMENTS)).slice(0, 12);
  const folder = join(cacheFolder(), `schemathesis-${versions}`);
  const installed = join(folder, 'installed');
  const program = (name: string) => join(folder, 'bin', name);
  if (!existsSync(installed)) {
    console.log('Installing Schemathesis, once: about half a minute');
    const task = { env, timeout: INSTALL_MS };
    await run('python3', ['-m', 'venv', '--clear', folder], task);
    const args = ['install', '--quiet', '--requirement', REQUIREMENTS];
    await run(program('pip'), args, task);
    writeFileSync(installed, '');
  }
  return program('schemathesis');
}
