import test from 'ava';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { recoverBatch } from '../../domain/webhooks/recoveries/recovery.command.ts';
import { progressQuery } from '../../workflows/contracts.ts';
import { addTroubledProduct, beginRecovery, recover } from '../support/webhooks/recoveries.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'] });
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

async function statusesOf({ testDatabase }: Stage, productId: string) {
  const found = await testDatabase.query<{ status: string; run: number; n: number }>(
    `select status, run, count(*)::int as n from delivery_now where product_id = $1
     group by status, run order by status, run`,
    [productId],
  );
  return found.map(({ status, run, n }) => [status, run, n]);
}

test('a recovery re-runs what is dead and releases what is held, in batches, with its progress shown', async (t) => {
  const story = await recover(stage, { dead: 30, held: 1_100 });
  t.is(story.total, 1_130);
  t.is(await story.result(), 'completed');
  t.deepEqual(await statusesOf(stage, story.productId), [
    ['pending', 1, 1_100],
    ['retrying', 2, 30],
  ]);
  t.deepEqual(await story.handle.query(progressQuery), {
    status: 'completed',
    done: 1_130,
    total: 1_130,
    queued: 1_130,
  });
  const told = await stage.testDatabase.query<{ n: number }>(
    `select count(distinct workflow_id)::int as n from outbox o
     join delivery d on o.workflow_id = 'delivery:' || d.id where d.product_id = $1`,
    [story.productId],
  );
  t.is(told[0]!.n, 30);
  const { events } = await story.handle.fetchHistory();
  t.true(events!.length < 40, `${events!.length} events`);
});

test('only what the filter names is recovered', async (t) => {
  const { testDatabase } = stage;
  const scene = await addTroubledProduct(stage, { dead: 4, held: 3 });
  const count = async (filter: Parameters<typeof beginRecovery>[2]) => {
    const started = await beginRecovery(stage, scene, filter);
    if (isRefusal(started)) return started.refused;
    const sql = `delete from outbox where workflow_id = 'recovery:' || $1`;
    await testDatabase.query(sql, [started.recoveryId]);
    await testDatabase.query('delete from recovery where id = $1', [started.recoveryId]);
    return started.total;
  };
  t.is(await count({ statuses: ['held'] }), 3);
  t.is(await count({ eventName: 'entitlement.created' }), 'nothing_found');
  t.is(await count({ since: new Date(Date.now() - 90_000) }), 2);
  t.is(await count({ until: new Date(Date.now() - 210_000) }), 1);
  await testDatabase.query('update webhook_endpoint set disabled_at = now() where id = $1', [
    scene.endpointId,
  ]);
  t.is(await count({ endpointId: null }), 'nothing_found');
});

test('one recovery of a product runs at a time, however often it is asked for', async (t) => {
  const scene = await addTroubledProduct(stage, { dead: 3 });
  await stage.testDatabase.query('update delivery_state set status = $1 where product_id = $2', [
    'cancelled',
    scene.productId,
  ]);
  await stage.testDatabase.query(
    `insert into recovery (id, product_id, statuses, since, until, total, started_by)
     values (gen_random_uuid(), $1, '{dead}', now() - interval '1 hour', now(), 3, $2)`,
    [scene.productId, scene.personId],
  );
  t.deepEqual(await beginRecovery(stage, scene), { refused: 'already_running' });
});

test('a batch that is repeated goes on where the row says: nothing is queued twice', async (t) => {
  const { database, testDatabase } = stage;
  const scene = await addTroubledProduct(stage, { held: 700 });
  const started = await beginRecovery(stage, scene);
  if (isRefusal(started)) return t.fail(started.refused);
  const { recoveryId } = started;
  const batch = () => database.transaction((em) => recoverBatch(em, recoveryId));
  await Promise.all([batch(), batch(), batch(), batch()]);
  const [row] = await testDatabase.query<Record<string, unknown>>(
    'select status, done, total, queued from recovery where id = $1',
    [recoveryId],
  );
  t.deepEqual(row, { status: 'completed', done: 700, total: 700, queued: 700 });
  t.deepEqual(await statusesOf(stage, scene.productId), [['pending', 1, 700]]);
});
