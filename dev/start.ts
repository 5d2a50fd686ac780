// `npm start [-- --fresh]`: the whole platform on one machine.
import { spaceOut, TEST_CARDS } from '../packages/simulator/page/cards.ts';
import { readLocalSettings } from '../platform/config.ts';
import { alignColumns } from '../scripts/columns.ts';
import { emptyDataDir, openDataDir } from './data/data-dir.ts';
import { createChildren } from './process/children.ts';
import { launch, type Launch } from './process/launch.ts';
import { StartFailure } from './process/run.ts';
import { stopOrphans } from './process/running.ts';
import { startStack, type Stack } from './stack.ts';

const SHOWN_CARDS = 3;

const exitCode = await launch(start);
console.log('Stopped.');
process.exit(exitCode);

async function start(launched: Launch): Promise<void> {
  const startedAt = performance.now();
  const isFresh = readFlags(process.argv.slice(2));
  const settings = readLocalSettings();
  launched.signal.addEventListener('abort', () => console.log('Stopping ...'));
  const dataDir = openDataDir(settings.GATEHOUSE_DATA_DIR);
  console.log(`Gatehouse starts; its data is in ${dataDir}`);
  const orphans = await stopOrphans(dataDir);
  if (orphans.length > 0) console.log(`Stopped what an earlier run left: ${orphans.join(', ')}`);
  if (isFresh) emptyDataDir(dataDir);
  const children = createChildren(dataDir);
  launched.defer(() => children.stopAll());
  const stack = await startStack({ ...launched, settings, dataDir, children });
  console.log(describeStack(stack));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`Ready in ${seconds} s. Ctrl-C stops everything.`);
}

function readFlags(flags: string[]): boolean {
  const unknown = flags.filter((flag) => flag !== '--fresh');
  if (unknown.length > 0) {
    throw new StartFailure(`Unknown: ${unknown.join(' ')}. Usage: npm start [-- --fresh]`);
  }
  return flags.includes('--fresh');
}

/** Lists the addresses, the demo accounts and some test cards. */
function describeStack({ addresses, people }: Stack): string {
  const places = [
    ['Store', addresses.baseUrl],
    ['Console', `${addresses.baseUrl}/console`],
    ['Docs', `${addresses.baseUrl}/docs`],
    ['Temporal UI', addresses.temporalUiUrl],
    ['Mailbox', addresses.mailboxUrl],
    ['Payment simulator', addresses.simulatorUrl],
  ];
  const accounts = people.map((person) => [
    person.email,
    person.password,
    person.roles.join(', ') || '-',
  ]);
  const cards = TEST_CARDS.slice(0, SHOWN_CARDS).map((card) => [
    spaceOut(card.number),
    card.effect,
  ]);
  return [
    '',
    ...alignColumns(places),
    '',
    ...alignColumns([['Demo account', 'Password', 'Roles'], ...accounts]),
    '',
    ...alignColumns([['Test card', 'What happens'], ...cards]),
    '  The checkout page lists more cards.',
    '',
    `What next: open ${addresses.baseUrl}/buy/paper-trail, sign in as bob and pay with the first card; or run \`npm run demo\` in another terminal.`,
  ].join('\n');
}
