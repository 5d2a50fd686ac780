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

/** The bundle with one mutant in its original's place, or none; without all others, for they take time to parse. */
export function createBundles(bundle: string): (mutant: Mutant | null) => string {
  const modules = bundle.split(/^(?=\/\*{3}\/ "\.\/)/m);
  const isMutant = (module: string) =>
    module.slice(0, module.indexOf('\n')).includes('.mutant.ts"');
  const json = Buffer.from(JSON.stringify(NO_POSITIONS)).toString('base64');
  const positions = `\n//# sourceMappingURL=data:application/json;base64,${json}`;
  return (mutant) => {
    const name = mutant && `"./${placeOf(mutant)}"`;
    const kept = modules.filter((module) => !isMutant(module) || (name && module.includes(name)));
    const code = kept.join('');
    return (mutant ? putInPlace(code, mutant) : code) + positions;
  };
}

function putInPlace(code: string, mutant: Mutant): string {
  const parts = code.split(BEFORE_RUNNING);
  if (parts.length !== 2) throw new Error(`the bundle has no single "${BEFORE_RUNNING}"`);
  const [original, changed] = [mutant.file, placeOf(mutant)].map((path) => {
    if (!code.includes(`/***/ "./${path}"`)) throw new Error(`the bundle has no ${path}`);
    return `__webpack_modules__["./${path}"]`;
  });
  const swap = `${original} = ${changed};`;
  return parts.join(`${swap} `);
}
