// `npm run demo [-- pool]`: a story against the running platform, each step with what was seen.
import { readLocalSettings } from '../../platform/config.ts';
import { readDemo } from './load.ts';
import { showPool } from './pool/show-pool.ts';
import { showPurchase } from './purchase.ts';

const STORIES = { purchase: showPurchase, pool: showPool };

try {
  await tell(process.argv[2] ?? 'purchase');
} catch (error) {
  console.error(`\n  ✗ ${explain(error)}`);
  process.exitCode = 1;
}

async function tell(name: string): Promise<void> {
  if (!isStory(name)) throw new Error(`There is \`npm run demo\` and \`npm run demo -- pool\`.`);
  const dataDir = readLocalSettings().GATEHOUSE_DATA_DIR;
  const demo = readDemo(dataDir);
  if (!demo) {
    throw new Error(
      `There is no demo.json in ${dataDir}: run \`npm start\` first, and leave it on.`,
    );
  }
  await STORIES[name](demo, step);
}

function isStory(name: string): name is keyof typeof STORIES {
  return Object.hasOwn(STORIES, name);
}

function step(what: string, saw: string): void {
  console.log(`  ✓ ${what}\n      ${saw}`);
}

function explain(error: unknown): string {
  if (error instanceof TypeError && error.message === 'fetch failed') {
    return 'Nothing answers there: is `npm start` running?';
  }
  return error instanceof Error ? error.message : String(error);
}
