// `npm run build`: prepares what each start would make anew, the workflow bundle and Node's
// compiled code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { loadWorkflowBundle } from '../worker/bundle.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

const ROOT = join(import.meta.dirname, '..');
const UNCONFIGURED = 'The configuration is not usable';

const { code, buildId } = await loadWorkflowBundle();
const size = Math.round(code.length / 1024);
console.log(`Workflow bundle: ${size} KiB in dist, build id ${buildId}`);
// Without settings both files load everything, themselves included, and end.
for (const main of ['api/main.ts', 'worker/main.ts']) {
  const { stderr } = spawnSync(process.execPath, [join(ROOT, main)], {
    env: COMPILE_CACHE,
    encoding: 'utf8',
  });
  if (!stderr.startsWith(UNCONFIGURED)) throw new Error(`${main} did not load: ${stderr}`);
}
