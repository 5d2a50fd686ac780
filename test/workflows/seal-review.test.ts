import test from 'ava';
import { ensureSchedules } from '../../worker/schedules.ts';
import { SCHEDULES } from '../../workflows/contracts.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { meetCriteria, readSeal, WEEK_MS } from '../support/catalog/seals.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'] });
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test.serial(
  'the schedule runs on Mondays at 04:00 UTC, catches up with a missed one, and outlasts an outage',
  async (t) => {
    const { client, prefix } = stage;
    const sealReview = SCHEDULES.find(({ workflowType }) => workflowType === 'sealReview')!;
    await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' }, [sealReview]);
    const schedule = client.schedule.getHandle(`${prefix}sealReview`);
    const { spec, policies, action } = await schedule.describe();
    t.like(spec.calendars?.[0], {
      hour: [{ start: 4, end: 4, step: 1 }],
      dayOfWeek: [{ start: 'MONDAY', end: 'MONDAY', step: 1 }],
    });
    t.is(policies.catchupWindow, 6 * 24 * 60 * 60_000);
    t.is(action.workflowType, 'sealReview');
    t.is(action.workflowRunTimeout, 6 * 24 * 60 * 60_000);
    await schedule.delete();
  },
);

test.serial(
  'a run reviews all pages, says so in Temporal, and changes nothing when it is repeated',
  async (t) => {
    const { client, prefix, testDatabase } = stage;
    const made = await Promise.all(Array.from({ length: 102 }, () => addProduct(testDatabase)));
    const { productId } = made[101]!;
    await meetCriteria(testDatabase, productId);
    const run = async (name: string) => {
      const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}seal-${name}` };
      const handle = await client.workflow.start('sealReview', options);
      return { handle, done: (await handle.result()) as Record<string, unknown> };
    };
    const first = await run('first');
    t.like(first.done, { after: null, reviewed: 102, earned: 0 });
    const { searchAttributes } = await first.handle.describe();
    t.deepEqual(searchAttributes['GatehouseStatus'], ['reviewed']);
    t.like((await run('again')).done, { reviewed: 0, week: first.done['week'] });
    t.like(await readSeal(testDatabase, productId), { state: 'first_pass' });

    await testDatabase.advance(WEEK_MS);
    t.like((await run('second')).done, { reviewed: 102, earned: 1 });
    t.like(await readSeal(testDatabase, productId), { state: 'held' });
  },
);
