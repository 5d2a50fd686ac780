// `npm test [-- files and flags of AVA]`: the engines, then AVA, then one closing line.
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../domain/platform/config.ts';
import { runCommand } from '../local/process/command.ts';
import { launch } from '../local/process/launch.ts';
import type { Launch } from '../local/process/launch.ts';
import { startEngines } from './support/engines.ts';
import type { Engines } from './support/engines.ts';
import { readResults } from './support/results.ts';
import type { Results } from './support/results.ts';

const AVA = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')));
let results: Results = { passed: 0, failed: 1 };

await launch(async (launched) => {
  const engines = await startEngines(launched);
  results = await runAva(engines, launched);
  launched.shutdown.request(0);
});
console.log(`${results.passed} passed, ${results.failed} failed`);
process.exit(results.failed === 0 ? 0 : 1);

async function runAva(engines: Engines, { output, shutdown }: Launch): Promise<Results> {
  const lines: string[] = [];
  const hasEndedWell = await runCommand({
    command: process.execPath,
    args: [AVA, ...process.argv.slice(2)],
    env: {
      ...readHostEnvironment(),
      ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
      GATEHOUSE_TEST_DATABASE_URL: engines.databaseUrl,
      GATEHOUSE_TEST_TEMPORAL_ADDRESS: engines.temporalAddress,
    },
    signal: shutdown.signal,
    onLine(line) {
      lines.push(line);
      output.say(line);
    },
  }).then(
    () => true,
    () => false,
  );
  return readResults(lines, hasEndedWell);
}
