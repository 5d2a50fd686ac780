import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './install-once.ts';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** The program, installed once for each list of exact versions into a folder of its own. */
export async function installSchemathesis(): Promise<string> {
  const folder = await installOnce({
    name: 'schemathesis',
    versions: readFileSync(REQUIREMENTS, 'utf8'),
    async install(environment, run) {
      await run('python3', ['-m', 'venv', environment]);
      const args = ['install', '--quiet', '--requirement', REQUIREMENTS];
      await run(join(environment, 'bin', 'pip'), args);
    },
  });
  return join(folder, 'bin', 'schemathesis');
}
