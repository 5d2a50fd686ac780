// Bought once, by the month, and as a member: all of it at once, in whatever order, and whoever dies between.
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { checkLedger } from '../../../domain/billing/ledger/ledger-check.query.ts';
import { requireAccessInvariants } from '../../support/access/access-invariants.ts';
import { accessSteps } from '../../support/access/access-steps.ts';
import { beginAccessStory } from '../../support/access/access-story.ts';
import { openWorld, type World } from '../../support/money/world.ts';

// Each has a database and a clock of its own: most of the time one of them waits.
const worlds = await Promise.all([openWorld(), openWorld()]);
test.after.always(() => Promise.all(worlds.map((world) => world.close())));

// By hand: `MONEY_RUNS=10000 npm test -- test/domain/billing/access.property.test.ts`.
const numRuns = Number(process.env['MONEY_RUNS'] ?? 30);
const seed = Number(process.env['MONEY_SEED'] ?? Date.now() % 1_000_000);

test('access is the union of its sources, each is paid for, and each change is told once and in order', async (t) => {
  t.timeout(60_000 + numRuns * 4_000);
  t.log(`${numRuns} runs, MONEY_SEED=${seed}`);
  await Promise.all(worlds.map((world, nth) => tellStories(world, seed + nth)));
  t.pass();
});

async function tellStories(world: World, from: number): Promise<void> {
  const { query } = world.shop.database;
  const { pool, em } = world.database;
  await fc.assert(
    fc.asyncProperty(accessSteps, async (taken) => {
      const story = await beginAccessStory(world);
      for (const step of taken) await story.take(step);
      await story.settle(0);
      await requireAccessInvariants({ query, pool }, story);
      // What was due meanwhile is renewed, or has had its last try.
      await story.passPeriod();
      await story.settle(2);
      await requireAccessInvariants({ query, pool }, story);
    }),
    { numRuns: Math.ceil(numRuns / worlds.length), seed: from, includeErrorInReport: true },
  );
  // A story sums up its own entries: with all of them each would cost more than the one before.
  assert.deepEqual(await checkLedger(em()), {}, 'the ledger sums to zero');
}
