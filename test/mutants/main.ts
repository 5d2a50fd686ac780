// `npm run test:mutants [-- <part of a path>...]`: each small change of the workflows and of the rules
// that they use, one at a time in a copy, under the tests that should notice it. By hand: it takes
// seconds for each of some hundreds.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/repository/imports.ts';
import { isEquivalent } from './equivalent.ts';
import { openJudge } from './judge.ts';
import { mutate, type Mutant } from './mutate.ts';
import { listSubjects } from './subjects.ts';

const WANTED = 0.98;

const parts = process.argv.slice(2);
const queue = listSubjects(ROOT)
  .filter(({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .flatMap(({ file, tests }) =>
    mutate(file, readFileSync(join(ROOT, file), 'utf8')).map((mutant) => ({ mutant, tests })),
  )
  .filter(({ mutant }) => !isEquivalent(mutant));
const total = queue.length;
const survivors: Mutant[] = [];
let judged = 0;

async function work(): Promise<void> {
  const judge = await openJudge();
  try {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { mutant, tests } = next;
      const isCaught = await judge.isCaught(mutant, tests);
      if (!isCaught) survivors.push(mutant);
      judged += 1;
      console.log(`${judged}/${total} ${isCaught ? 'caught  ' : 'SURVIVED'} ${describe(mutant)}`);
    }
  } finally {
    await judge.close();
  }
}

const describe = ({ file, line, what }: Mutant) => `${file}:${line} ${what}`;

await Promise.all(Array.from({ length: availableParallelism() }, work));
const caught = total - survivors.length;
console.log(`\n${caught} of ${total} caught (${((100 * caught) / total).toFixed(1)} %)`);
for (const survivor of survivors) console.log(`survived: ${describe(survivor)}`);
process.exit(caught / total >= WANTED ? 0 : 1);
