// `npm run bench [-- P7 P8 ...]`: sets a stage of its own, measures, prints one table and writes results.json.
import { join } from 'node:path';
import { launch, type Launch } from '../../dev/process/launch.ts';
import { chooseFigures, judge, type Figure, type Result } from './figure.ts';
import { FIGURES } from './figures/index.ts';
import { formatTable, readVersions, writeResults } from './report.ts';
import { readServerVersion, setStage } from './stage.ts';

const RESULTS = join(import.meta.dirname, 'results.json');
const INTERRUPTED = 130;
const MEASURED = [
  'koa',
  'pg',
  'oidc-provider',
  'better-auth',
  '@better-auth/api-key',
  'rate-limiter-flexible',
];

function readFigures(): Figure[] {
  try {
    return chooseFigures(FIGURES, process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

async function run(figures: readonly Figure[], launched: Launch): Promise<void> {
  const stage = await setStage(launched);
  const results: Result[] = [];
  for (const figure of figures) {
    stage.say(`${figure.id}: ${figure.what}`);
    try {
      results.push(judge(figure, await figure.measure(stage)));
    } catch (error) {
      if (launched.signal.aborted) throw error;
      stage.say(`${figure.id} was not measured: ${(error as Error).stack ?? String(error)}`);
    }
    await stage.servers.endWorkers();
  }
  const versions = { ...readVersions(MEASURED), postgresql: await readServerVersion(stage) };
  writeResults(RESULTS, { versions, figures: results });
  stage.say(`\n${formatTable(results)}`);
  isFinished = true;
  const isAllMeasured = results.length === figures.length;
  launched.end(isAllMeasured && results.every(({ ok }) => ok) ? 0 : 1);
}

const wanted = readFigures();
let isFinished = false;
const exitCode = await launch((launched) => run(wanted, launched));
process.exit(isFinished || exitCode !== 0 ? exitCode : INTERRUPTED);
