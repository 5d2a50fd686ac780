// Bought once, by the month, and as a member: all of it at once, in whatever order, and whoever dies between.
import test from 'ava';
import fc from 'fast-check';
import { requireAccessInvariants } from '../../support/money/access-invariants.ts';
import { accessSteps } from '../../support/money/access-steps.ts';
import { beginAccessStory } from '../../support/money/access-story.ts';
import { openWorld } from '../../support/money/world.ts';

const world = await openWorld();
const { pool } = world.database;
const em = () => world.database.em();
const { query } = world.shop.database;
test.after.always(() => world.close());

// By hand: `MONEY_RUNS=10000 npm test -- test/domain/selling/access.property.test.ts`.
const numRuns = Number(process.env['MONEY_RUNS'] ?? 300);
const seed = Number(process.env['MONEY_SEED'] ?? Date.now() % 1_000_000);

test('access is the union of its sources, each is paid for, and each change is told once and in order', async (t) => {
  t.timeout(60_000 + numRuns * 2_000);
  t.log(`${numRuns} runs, MONEY_SEED=${seed}`);
  await fc.assert(
    fc.asyncProperty(accessSteps, async (taken) => {
      const story = await beginAccessStory(world);
      for (const step of taken) await story.take(step);
      await story.end();
      await requireAccessInvariants({ query, pool, em }, story);
    }),
    { numRuns, seed, includeErrorInReport: true },
  );
  t.pass();
});
