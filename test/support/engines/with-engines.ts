import { readHostEnvironment } from '../../../platform/config.ts';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.ts';
import { run } from '../../../dev/process/run.ts';
import { launch } from '../../../dev/process/launch.ts';
import { startEngines } from './engines.ts';

const LONGEST_SILENCE_MS = 5 * 60_000;

/** `seconds` tells when each line was written. */
export type Ran = { lines: string[]; seconds: number[]; hasEndedWell: boolean };

/** Runs a script beside a PostgreSQL and a Temporal server of its own, and shows what it says. */
export async function runWithEngines(args: string[]): Promise<Ran> {
  const lines: string[] = [];
  const seconds: number[] = [];
  let hasEndedWell = false;
  await launch(async (launched) => {
    const engines = await startEngines(launched);
    const running = run(process.execPath, args, {
      env: {
        ...readHostEnvironment(),
        ...COMPILE_CACHE,
        ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
        GATEHOUSE_TEST_DATABASE_URL: engines.databaseUrl,
        GATEHOUSE_TEST_TEMPORAL_ADDRESS: engines.temporalAddress,
      },
      cancelSignal: launched.signal,
      reject: false,
    });
    // AVA's own limit is forgotten where a test asks for more time. Interrupted, it tells what it has.
    const silence = setTimeout(() => running.kill('SIGINT'), LONGEST_SILENCE_MS);
    try {
      for await (const line of running.iterable({ from: 'all' })) {
        silence.refresh();
        lines.push(line);
        seconds.push(performance.now() / 1_000);
        console.log(line);
      }
    } finally {
      clearTimeout(silence);
    }
    hasEndedWell = !(await running).failed;
    launched.end(0);
  });
  return { lines, seconds, hasEndedWell };
}
