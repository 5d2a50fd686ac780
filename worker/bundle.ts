// The workflows as one file, made when their sources have changed.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

const ROOT = dirname(import.meta.dirname);
const FOLDER = join(ROOT, 'dist');
// Each task queue's thread holds the source map: stacks need no sources in it.
const POSITIONS_ALONE = 'inline-nosources-source-map';
const SOURCES = ['workflows/**/*.ts', 'domain/**/*.ts'];

const silent = () => undefined;
const QUIET: Logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
};

/** The hash of the sources names the build. */
type WorkflowBundle = { code: string; buildId: string };

/** The bundle of the current sources, from `dist` or made now. */
export async function loadWorkflowBundle(): Promise<WorkflowBundle> {
  const buildId = await hashSources();
  const file = join(FOLDER, `workflows-${buildId}.js`);
  if (existsSync(file)) return { code: await readFile(file, 'utf8'), buildId };
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    logger: QUIET,
    webpackConfigHook: (config) => ({ ...config, devtool: POSITIONS_ALONE }),
  });
  // A read-only folder costs the next start a second, no more.
  await save(file, code).catch(() => undefined);
  return { code, buildId };
}

async function hashSources(): Promise<string> {
  const { version } = createRequire(import.meta.url)('@temporalio/workflow/package.json');
  const hash = createHash('sha256').update(String(version));
  const paths: string[] = [];
  for await (const path of glob(SOURCES, { cwd: ROOT })) paths.push(path);
  for (const path of paths.sort()) hash.update(path).update(await readFile(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Writes under another name first, so that no process reads half a bundle. */
async function save(file: string, code: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, file);
}
