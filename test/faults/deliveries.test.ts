// The short form of `npm run test:chaos`, on engines that all test files share: those are only cut off.
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { startHook } from '../chaos/hook.ts';
import { streamEvents } from '../chaos/stream.ts';
import { countOpen, examineDeliveries } from '../chaos/verdict.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform } from '../support/engines/platform.ts';

const EVENTS = 150;
const TIMEOUT_MS = 60_000;
/** Longer than a lease. */
const LEASE_MS = 31_000;

test('whatever dies under a stream of events: each arrives, and its attempt is recorded', async (t) => {
  const platform = await startPlatform();
  t.teardown(() => platform.stop());
  const hook = await startHook(0);
  t.teardown(() => hook.close());
  const { database, sealer, worker, databaseProxy, temporalProxy } = platform;
  const streaming = streamEvents(database, { sealer, count: EVENTS, perS: 40, url: hook.url });
  await eventually(
    () => hook.hits.size,
    (size) => size > 5,
  );
  await worker.kill('SIGKILL');
  await worker.start();
  databaseProxy.cut();
  await pause(300);
  databaseProxy.restore();
  temporalProxy.cut();
  await worker.kill('SIGKILL');
  temporalProxy.restore();
  await worker.start();
  const productId = await streaming;
  // What the killed ones had claimed is due again when their leases are over.
  await database.advance(LEASE_MS);
  await eventually(
    () => countOpen(database, productId),
    (open) => open === 0,
    TIMEOUT_MS,
  );
  const verdict = await examineDeliveries(database, { productId, hits: hook.hits });
  t.deepEqual(verdict.wrong, []);
  t.true(verdict.deliveries >= 2 * EVENTS);
});
