// A process that judges mutants, one after another: it runs the tests that should notice each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/repository/imports.ts';
import { createBundles } from './bundle.ts';
import { runTests } from './collect.ts';
import { addressWith } from './hooks.ts';
import { apply, type Mutant } from './mutate.ts';

export type Case = { mutant: Mutant | null; tests: string[]; isBundled: boolean };
/** The title of the test that failed, and where it is. */
export type Verdict = { title: string; test: string } | null;
/** A fault is ours: it says nothing of a mutant. */
export type Answer = { verdict: Verdict } | { fault: string };

const bundleWith = createBundles(readFileSync(process.argv[2]!, 'utf8'));
let inPlace = '';
let cases = 0;

/** In the place of worker/bundle.ts. */
export const loadWorkflowBundle = () => Promise.resolve({ code: inPlace, buildId: 'mutant' });

async function judge({ mutant, tests, isBundled }: Case): Promise<Verdict> {
  inPlace = bundleWith(isBundled ? mutant : null);
  const file = mutant?.file ?? 'package.json';
  const original = readFileSync(join(ROOT, file), 'utf8');
  const source = mutant ? apply(original, mutant) : original;
  cases += 1;
  for (const test of tests) {
    const title = await runTests(addressWith(test, { file, source }, String(cases)));
    if (title !== null) return { title, test };
  }
  return null;
}

process.on('message', async (asked: Case) => {
  const answer: Answer = await judge(asked).then(
    (verdict) => ({ verdict }),
    (error) => ({ fault: String(error) }),
  );
  process.send!(answer);
});
