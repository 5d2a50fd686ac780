// `npm test [-- files and flags of AVA]`: the engines, then AVA, the slowest files, one closing line.
import { fileURLToPath } from 'node:url';
import { findSlowestFiles, readResults } from './support/engines/results.ts';
import { runWithEngines } from './support/engines/with-engines.ts';

const AVA = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')));

const { lines, seconds, hasEndedWell } = await runWithEngines([AVA, ...process.argv.slice(2)]);
const { passed, failed } = readResults(lines, hasEndedWell);
for (const { file, ...time } of findSlowestFiles(lines, seconds)) {
  console.log(`${time.seconds.toFixed(0)} s, until ${time.endedAt.toFixed(0)} s: ${file}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
