import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../dev/process/run.ts';
import { readHostEnvironment } from '../../platform/config.ts';
import { ROOT } from '../support/repository/imports.ts';
import { apply, type Mutant } from './mutate.ts';

const AVA = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')));
const LEFT_OUT = /^(node_modules|dist|\.git|\.gatehouse)(\/|$)/;
const MOST_MS = 90_000;
const REPLAY = ['test/workflows/replay.test.ts', '--match', "today's *"];

type Judge = {
  isCaught(mutant: Mutant, tests: string[]): Promise<boolean>;
  close(): Promise<void>;
};

/** A copy of the project, in which one mutant at a time lives. */
export async function openJudge(): Promise<Judge> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mutants-'));
  const filter = (path: string) => !LEFT_OUT.test(relative(ROOT, path));
  await cp(ROOT, folder, { recursive: true, filter });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

  async function passes(words: string[]): Promise<boolean> {
    const { failed } = await run(process.execPath, [AVA, '--fail-fast', ...words], {
      cwd: folder,
      env: readHostEnvironment(),
      timeout: MOST_MS,
      reject: false,
    });
    return !failed;
  }

  return {
    async isCaught(mutant, tests) {
      const path = join(folder, mutant.file);
      const source = await readFile(path, 'utf8');
      await writeFile(path, apply(source, mutant));
      try {
        // The recorded histories know the order of steps alone, so they come last.
        for (const words of [tests, REPLAY]) if (!(await passes(words))) return true;
        return false;
      } finally {
        await writeFile(path, source);
        await rm(join(folder, 'dist'), { recursive: true, force: true });
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
