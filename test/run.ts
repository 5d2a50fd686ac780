// `npm test [-- files and flags of AVA]`: the engines, then AVA, then one closing line.
import { fileURLToPath } from 'node:url';
import { readResults } from './support/engines/results.ts';
import { runWithEngines } from './support/engines/with-engines.ts';

const AVA = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')));

const { lines, hasEndedWell } = await runWithEngines([AVA, ...process.argv.slice(2)]);
const { passed, failed } = readResults(lines, hasEndedWell);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
