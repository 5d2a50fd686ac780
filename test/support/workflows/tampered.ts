import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { ROOT } from '../repository/imports.ts';

export type Change = { file: string; change: [string, string] };

/** The workflows as they would be after a careless change. */
export function bundleTampered(file: string, change: [string, string]): Promise<{ code: string }> {
  return bundleChanged([{ file, change }]);
}

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
