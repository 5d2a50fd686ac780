// `npm run test:mutants [-- <part of a path>...]`: each small change of the workflows and of the rules
// that they use, one at a time, under the tests that should notice it. By hand.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/repository/imports.ts';
import { bundleMutants } from './bundle.ts';
import { findStale, isEquivalent } from './equivalent.ts';
import { openJudge, type Judge } from './judge.ts';
import { mutate, type Mutant } from './mutate.ts';
import { createReport, describe } from './report.ts';
import { listSubjects, type Subject } from './subjects.ts';

const WANTED = 0.98;

type Mutated = Subject & { mutants: Mutant[] };

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
  const tests = [...new Set(subjects.flatMap((subject) => subject.tests))];
  const verdict = await judge({ mutant: null, tests, isBundled: false });
  if (verdict) throw new Error(`without any change, ${verdict.test} fails: ${verdict.title}`);
}

const report = createReport();

async function judgeAll({ judge }: Judge, { mutants, tests, isBundled }: Mutated): Promise<void> {
  let order = tests;
  for (const mutant of mutants) {
    if (isEquivalent(mutant)) {
      report.note(mutant, 'equivalent');
      continue;
    }
    const verdict = await judge({ mutant, tests: order, isBundled });
    // What noticed the last change of a file is likely to notice the next.
    if (verdict) order = [...new Set([verdict.test, ...order])].filter(Boolean);
    report.note(mutant, verdict ? 'caught' : 'survived');
    const said = verdict
      ? `caught: ${describe(mutant)} (${verdict.title})`
      : `SURVIVED: ${describe(mutant)}`;
    console.log(said);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mutants-'));
const bundleFile = join(folder, 'workflows.js');
const court = openJudge(bundleFile);
const began = performance.now();
let stale: string[] = [];
try {
  const subjects = await mutateSubjects(process.argv.slice(2));
  stale = subjects.flatMap(({ file, mutants }) => findStale(file, mutants));
  const bundled = subjects.filter(({ isBundled }) => isBundled);
  await writeFile(bundleFile, await bundleMutants(bundled.flatMap(({ mutants }) => mutants)));
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
