import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { bundleMutants, createBundles } from '../../mutants/bundle.ts';
import type { Mutant } from '../../mutants/mutate.ts';
import { ROOT } from '../repository/imports.ts';

export type Change = { file: string; change: [string, string] };

/** The workflows of another build. */
export async function bundleChanged(changes: Change[]): Promise<{ code: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tampered-'));
  try {
    for (const part of ['workflows', 'domain']) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    }
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, change } of changes) {
      const path = join(folder, 'workflows', file);
      const source = await readFile(path, 'utf8');
      if (!source.includes(change[0])) throw new Error(`${file} has no "${change[0]}"`);
      await writeFile(path, source.replace(...change));
    }
    const logger = new DefaultLogger('ERROR');
    return await bundleWorkflowCode({ workflowsPath: join(folder, 'workflows/index.ts'), logger });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The workflows after each of the changes alone; the bundler works once for all. */
export async function bundleEach(changes: Change[]): Promise<{ code: string }[]> {
  const mutants = await Promise.all(changes.map(toMutant));
  const bundleOf = createBundles(await bundleMutants(mutants));
  return mutants.map((mutant) => ({ code: bundleOf(mutant) }));
}

async function toMutant(
  { file, change: [what, replacement] }: Change,
  id: number,
): Promise<Mutant> {
  const path = `workflows/${file}`;
  const source = await readFile(join(ROOT, path), 'utf8');
  const start = source.indexOf(what);
  if (start === -1) throw new Error(`${file} has no "${what}"`);
  const line = source.slice(0, start).split('\n').length;
  return { file: path, id, line, what, start, end: start + what.length, replacement };
}
