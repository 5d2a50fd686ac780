// Whatever order the words of buyers, sellers, banks and the processor come in, and whoever dies between.
import test from 'ava';
import fc from 'fast-check';
import { requireInvariants } from '../../support/money/invariants.ts';
import { steps } from '../../support/money/steps.ts';
import { beginStory } from '../../support/money/story.ts';
import { openWorld, type World } from '../../support/money/world.ts';

// Each has a database and a clock of its own: most of the time one of them waits.
const worlds = await Promise.all([openWorld(), openWorld()]);
test.after.always(() => Promise.all(worlds.map((world) => world.close())));

// By hand: `MONEY_RUNS=10000 npm test -- test/domain/billing/money.property.test.ts`.
const numRuns = Number(process.env['MONEY_RUNS'] ?? 30);
const seed = Number(process.env['MONEY_SEED'] ?? Date.now() % 1_000_000);

test('money in is an order or goes back, access is what is paid for, and each change is told once', async (t) => {
  t.timeout(60_000 + numRuns * 4_000);
  t.log(`${numRuns} runs, MONEY_SEED=${seed}`);
  await Promise.all(worlds.map((world, nth) => tellStories(world, seed + nth)));
  t.pass();
});

async function tellStories(world: World, from: number): Promise<void> {
  const { query } = world.shop.database;
  const { pool } = world.database;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const story = await beginStory(world);
      for (const step of taken) await story.take(step);
      await story.end();
      await requireInvariants({ query, pool }, story);
    }),
    { numRuns: Math.ceil(numRuns / worlds.length), seed: from, includeErrorInReport: true },
  );
}
