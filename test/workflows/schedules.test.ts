import test from 'ava';
import { ensureSchedules } from '../../worker/schedules.ts';
import { SCHEDULES } from '../../workflows/contracts.ts';
import { connectTemporal } from '../support/engines/temporal.ts';

test('a changed cadence reaches a schedule that exists, and a pause by an operator survives it', async (t) => {
  const { client, prefix, connection } = await connectTemporal();
  const reconcile = SCHEDULES.find(({ workflowType }) => workflowType === 'reconcile')!;
  const handle = client.schedule.getHandle(`${prefix}reconcile`);
  t.teardown(async () => {
    await handle.delete();
    await connection.close();
  });
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' }, [reconcile]);
  t.like((await handle.describe()).spec.intervals?.[0], { every: 300_000 });
  await handle.pause('a look at the processor');

  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' }, [
    { ...reconcile, everyMinutes: 7 },
  ]);
  const changed = await handle.describe();
  t.like(changed.spec.intervals?.[0], { every: 420_000 });
  t.like(changed.state, { paused: true, note: 'a look at the processor' });
  t.is(changed.action.workflowType, 'reconcile');
  t.is(changed.action.workflowRunTimeout, 30 * 60_000);
  t.like(changed.action.priority, { priorityKey: 5 });

  await handle.unpause();
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' }, [reconcile]);
  t.false((await handle.describe()).state.paused);
});
