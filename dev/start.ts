// `npm start [-- --fresh]`: the whole platform on one machine.
import { readLocalSettings } from '../platform/config.ts';
import { emptyDataDir, openDataDir } from './data/data-dir.ts';
import { acquireLock } from './data/lock.ts';
import { createChildren } from './process/children.ts';
import { StartFailure } from './process/failure.ts';
import { launch, type Launch } from './process/launch.ts';
import { stopOrphans } from './process/orphans.ts';
import { startStack } from './stack.ts';
import { describeStack } from './start-summary.ts';

const exitCode = await launch(start);
console.log('Stopped.');
process.exit(exitCode);

async function start(launched: Launch): Promise<void> {
  const startedAt = performance.now();
  const isFresh = readFlags(process.argv.slice(2));
  const settings = readLocalSettings();
  const { output, signal, defer } = launched;
  signal.addEventListener('abort', () => output.say('Stopping ...'));
  const dataDir = openDataDir(settings.GATEHOUSE_DATA_DIR);
  acquireLock(dataDir);
  output.say(`Gatehouse starts; its data is in ${dataDir}`);
  const orphans = await stopOrphans(dataDir);
  if (orphans.length > 0) output.say(`Stopped what an earlier run left: ${orphans.join(', ')}`);
  if (isFresh) emptyDataDir(dataDir);
  const children = createChildren(dataDir);
  defer(() => children.stopAll());
  const stack = await startStack({ ...launched, settings, dataDir, children });
  output.say(describeStack(stack));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  output.say(`Ready in ${seconds} s. Ctrl-C stops everything.`);
}

function readFlags(flags: string[]): boolean {
  const unknown = flags.filter((flag) => flag !== '--fresh');
  if (unknown.length > 0) {
    throw new StartFailure(`Unknown: ${unknown.join(' ')}. Usage: npm start [-- --fresh]`);
  }
  return flags.includes('--fresh');
}
