// `npm run bench [-- P7 P8 ... --rounds 5]`: sets a stage of its own, measures, prints one table and
// writes results.json.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch, type Launch } from '../../dev/process/launch.ts';
import { clearEndpoints } from './data/deliveries.ts';
import { chooseFigures, judge, type Measurement, type Result } from './figure.ts';
import { MEASUREMENTS } from './figures/index.ts';
import { formatNumber, formatTable, readVersions, writeResults } from './report.ts';
import { readServerVersion, setStage, type Stage } from './stage.ts';

const RESULTS = join(import.meta.dirname, 'results.json');
const INTERRUPTED = 130;
const MEASURED = [
  'koa',
  'pg',
  'oidc-provider',
  'better-auth',
  '@better-auth/api-key',
  'rate-limiter-flexible',
  'pg-boss',
  'graphile-worker',
];

type Wanted = { measurements: Measurement[]; rounds: number };

function readArguments(): Wanted {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { rounds: { type: 'string', default: '5' } },
    });
    if (!/^[1-9]\d?$/.test(values.rounds))
      throw new RangeError('--rounds is a number from 1 to 99.');
    const rounds = Number(values.rounds);
    return { measurements: chooseFigures(MEASUREMENTS, positionals), rounds };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

async function run({ measurements, rounds }: Wanted, launched: Launch): Promise<void> {
  const stage = await setStage(launched, rounds);
  const results: Result[] = [];
  for (const measurement of measurements) {
    try {
      results.push(...(await measureFigures(stage, measurement)));
    } catch (error) {
      if (launched.signal.aborted) throw error;
      stage.say(`It was not measured: ${(error as Error).stack ?? String(error)}`);
    }
  }
  const versions = { ...readVersions(MEASURED), postgresql: await readServerVersion(stage) };
  writeResults(RESULTS, { versions, figures: results });
  stage.say(`\n${formatTable(results)}`);
  stage.say(`\nThe run took ${formatNumber(performance.now() / 60_000)} minutes.`);
  isFinished = true;
  const isAllMeasured = results.length === measurements.flatMap(({ figures }) => figures).length;
  launched.end(isAllMeasured && results.every(({ ok }) => ok) ? 0 : 1);
}

async function measureFigures(stage: Stage, { figures, measure }: Measurement): Promise<Result[]> {
  for (const { id, what } of figures) stage.say(`${id}: ${what}`);
  const startedAt = performance.now();
  await clearEndpoints(stage.pool);
  const rounds = await measure(stage).finally(() => stage.servers.stop());
  const minutes = (performance.now() - startedAt) / 60_000;
  const results: Result[] = [];
  for (const figure of figures) {
    const values = rounds.map((round) => round[figure.id]!);
    const isMeasured = values.every(Number.isFinite);
    if (isMeasured) results.push(judge(figure, values));
    const shown = isMeasured ? values.map(formatNumber).join(', ') : 'this system does not tell it';
    stage.say(`  ${figure.id}: ${shown}`);
  }
  stage.say(`  ${formatNumber(minutes)} minutes`);
  return results;
}

const wanted = readArguments();
let isFinished = false;
const exitCode = await launch((launched) => run(wanted, launched));
process.exit(isFinished || exitCode !== 0 ? exitCode : INTERRUPTED);
