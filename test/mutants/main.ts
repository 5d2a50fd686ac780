// `npm run test:mutants [-- <part of a path>...]`: each small change of the workflows and of the rules
// that they use, one at a time, under the tests that should notice it. By hand.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/repository/imports.ts';
import { bundleMutants } from './bundle.ts';
import { findEquivalent } from './equivalent.ts';
import { openJudge, type Judge } from './judge.ts';
import { mutate, type Mutant } from './mutate.ts';
import { createReport, describe } from './report.ts';
import { listSubjects, type Subject } from './subjects.ts';

const WANTED = 0.98;

type Mutated = Subject & { mutants: Mutant[] };

const mutantsOf = ({ mutants }: Mutated) => mutants;

async function mutateSubjects(parts: string[]): Promise<Mutated[]> {
  const isAsked = ({ file }: Subject) =>
    parts.length === 0 || parts.some((part) => file.includes(part));
  const reading = listSubjects(ROOT)
    .filter(isAsked)
    .map(async (subject) => {
      const source = await readFile(join(ROOT, subject.file), 'utf8');
      return { ...subject, mutants: mutate(subject.file, source) };
    });
  return Promise.all(reading);
}

/** What fails without any change would catch everything. */
async function refuseFailing({ judge }: Judge, subjects: Subject[]): Promise<void> {
  const failing: string[] = [];
  for (const test of new Set(subjects.flatMap((subject) => subject.tests))) {
    const verdict = await judge({ mutant: null, tests: [test], isBundled: false });
    if (verdict) failing.push(`${test}: ${verdict.title}`);
  }
  if (failing.length > 0) throw new Error(`without any change these fail:\n${failing.join('\n')}`);
}

const report = createReport();
const stale: string[] = [];

async function judgeAll(
  { judge }: Judge,
  { file, mutants, tests, isBundled }: Mutated,
): Promise<void> {
  const known = findEquivalent(file, mutants);
  stale.push(...known.stale);
  let order = tests;
  for (const mutant of mutants) {
    if (known.equivalent.has(mutant)) {
      report.note(mutant, 'equivalent');
      continue;
    }
    const verdict = await judge({ mutant, tests: order, isBundled });
    // What noticed the last change of a file is likely to notice the next.
    if (verdict) order = [...new Set([verdict.test, ...order])].filter(Boolean);
    report.note(mutant, verdict ? 'caught' : 'survived');
    const { title } = verdict ?? {};
    console.log(title ? `caught: ${describe(mutant)} (${title})` : `SURVIVED: ${describe(mutant)}`);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mutants-'));
const bundleFile = join(folder, 'workflows.js');
const court = openJudge(bundleFile);
const began = performance.now();
try {
  const subjects = await mutateSubjects(process.argv.slice(2));
  const bundled = subjects.filter(({ isBundled }) => isBundled);
  const code = bundled.length > 0 ? await bundleMutants(bundled.flatMap(mutantsOf)) : '';
  await writeFile(bundleFile, code);
  await refuseFailing(court, subjects);
  for (const subject of subjects) await judgeAll(court, subject);
} finally {
  court.close();
  await rm(folder, { recursive: true });
}
console.log('');
report.print();
for (const line of stale) console.log(line);
console.log(`${Math.round((performance.now() - began) / 1_000)} s`);
process.exit(report.share() >= WANTED && stale.length === 0 ? 0 : 1);
