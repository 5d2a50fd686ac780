// One bundle for all mutants: a copy of the workflows in which each mutant lies beside its original.
// A mutant is tried by putting it in its original's place, so the bundler works once.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { readSourceFiles, ROOT } from '../support/repository/imports.ts';
import { apply, type Mutant } from './mutate.ts';

const ENTRY = 'workflows/index.ts';
const PARTS = ['workflows', 'domain', 'package.json'];
/** Where all modules are known, and none has run yet. */
const BEFORE_RUNNING = '// The module cache';
const PARSER = { commonjsMagicComments: true, dynamicImportMode: 'eager' } as const;
const NO_POSITIONS = { version: 3, file: 'workflows.js', sources: [], names: [], mappings: '' };

/** What the workflows import, as paths from the project's folder. */
export function findBundled(): Set<string> {
  const imports = new Map(readSourceFiles().map((file) => [file.path, file.imports]));
  const found = new Set<string>();
  const follow = (path: string) => {
    if (found.has(path) || !imports.has(path)) return;
    found.add(path);
    imports.get(path)!.forEach(follow);
  };
  follow(ENTRY);
  return found;
}

/** The code of the workflows and of all mutants of what they import. */
export async function bundleMutants(mutants: Mutant[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mutants-'));
  try {
    for (const part of PARTS) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeBeside(folder, mutants);
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(folder, ENTRY),
      logger: new DefaultLogger('ERROR'),
      webpackConfigHook: (config) => ({
        ...config,
        context: folder,
        devtool: false,
        // Of one piece, with what is imported in a function as well.
        module: { ...config.module, parser: { javascript: PARSER } },
      }),
    });
    return code;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Each mutant as a file, which the entry imports in a function that nobody calls. */
async function writeBeside(folder: string, mutants: Mutant[]): Promise<void> {
  const sources = new Map<string, string>();
  for (const mutant of mutants) {
    const path = join(folder, mutant.file);
    const source = sources.get(path) ?? (await readFile(path, 'utf8'));
    sources.set(path, source);
    await writeFile(join(folder, placeOf(mutant)), apply(source, mutant));
  }
  const imports = mutants.map((mutant) => `() => import('../${placeOf(mutant)}');\n`);
  const entry = join(folder, ENTRY);
  await writeFile(entry, `${await readFile(entry, 'utf8')}\n${imports.join('')}`);
}

const placeOf = ({ file, id }: Mutant) => file.replace(/\.ts$/, `.${id}.mutant.ts`);

/** The bundle as it is with this mutant, or without any. */
export function putInPlace(bundle: string, mutant?: Mutant): string {
  const json = Buffer.from(JSON.stringify(NO_POSITIONS)).toString('base64');
  const positions = `\n//# sourceMappingURL=data:application/json;base64,${json}`;
  if (!mutant) return bundle + positions;
  const parts = bundle.split(BEFORE_RUNNING);
  if (parts.length !== 2) throw new Error(`the bundle has no single "${BEFORE_RUNNING}"`);
  const modules = '__webpack_modules__';
  const [original, changed] = [mutant.file, placeOf(mutant)].map(
    (path) => `${modules}["./${path}"]`,
  );
  const swap = `if (!${original} || !${changed}) throw new Error('no such module'); ${original} = ${changed};`;
  return parts.join(`${swap} `) + positions;
}
