import test, { type ExecutionContext } from 'ava';
import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import { recordOutcomes } from '../../../domain/webhooks/deliveries/record-attempts.query.ts';
import { closeDeliveries } from '../../../domain/webhooks/deliveries/end-deliveries.query.ts';
import { sendDeliveryAgain } from '../../../domain/webhooks/deliveries/retry.command.ts';
import { addBacklog } from '../../support/webhooks/backlog.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { eventually } from '../../support/eventually.ts';

/** A database for each test: what one leaves behind would be claimed by the next. */
async function openStage(t: ExecutionContext) {
  const { testDatabase, database, close } = await openTestDatabase();
  t.teardown(close);
  return { testDatabase, database, pool: database.pool };
}

const FAILED = { durationMs: 1, statusCode: 503, error: 'http_status' as const };
const ROUNDS = 25;

test('claims, records, closings and retries of the same rows wait for each other in no circle', async (t) => {
  const { testDatabase, database, pool } = await openStage(t);
  const endpoints: string[] = [];
  for (let n = 0; n < 8; n += 1) endpoints.push(await addBacklog(testDatabase, { count: 60 }));
  const dead = await addBacklog(testDatabase, { count: 60, status: 'dead' });

  async function dispatch(): Promise<void> {
    const claims = createClaims(pool);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { deliveries } = await claims.firstAttempts(24);
      const outcome = { ...FAILED, ip: null, bodyStart: null };
      const sent = deliveries.map((delivery) => ({ delivery, outcome }));
      // The same batch twice and in another order, as after an answer that was lost.
      await Promise.all([recordOutcomes(pool, sent), recordOutcomes(pool, sent.toReversed())]);
    }
  }

  async function closeAndOpen(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = endpoints[round % endpoints.length];
      await testDatabase.query(
        'update webhook_endpoint set disabled_at = gatehouse_now() where id = $1',
        [id],
      );
      await closeDeliveries(pool);
      await testDatabase.query('update webhook_endpoint set disabled_at = null where id = $1', [
        id,
      ]);
    }
  }

  async function retry(): Promise<void> {
    const rows = await testDatabase.query<{ id: string; productId: string }>(
      'select id, product_id as "productId" from delivery where endpoint_id = $1',
      [dead],
    );
    for (const { id: deliveryId, productId } of rows) {
      const by = { personId: null, ip: null };
      const seen = { deliveryId, productId, run: 1, teamId: null, by };
      await sendDeliveryAgain(database.em(), seen);
      await createClaims(pool).retry({ deliveryId, run: 2, step: 0 });
    }
  }

  await t.notThrowsAsync(
    Promise.all([dispatch(), dispatch(), dispatch(), closeAndOpen(), retry(), retry()]),
  );
  const doubled = await testDatabase.query(
    'select delivery_id from attempt group by delivery_id, run, step having count(*) > 1',
  );
  t.deepEqual(doubled, []);
  const [runs] = await testDatabase.query<{ n: number }>(
    'select count(*)::int as n from delivery_now where endpoint_id = $1 and run <> 2',
    [dead],
  );
  t.is(runs!.n, 0);
});

test('an outcome is recorded though the state of its delivery is moved under the statement', async (t) => {
  const { testDatabase, pool } = await openStage(t);
  const endpointId = await addBacklog(testDatabase, { count: 1 });
  const [delivery] = (await createClaims(pool).firstAttempts(1)).deliveries;
  t.is(delivery?.endpointId, endpointId);
  const closing = await pool.connect();
  await closing.query('begin');
  await closing.query(`update delivery_state set status = 'held' where endpoint_id = $1`, [
    endpointId,
  ]);
  const outcome = { ...FAILED, statusCode: 200, error: null, ip: null, bodyStart: null };
  const recorded = recordOutcomes(pool, [{ delivery: delivery!, outcome }]);
  await eventually(
    () =>
      testDatabase.query(
        `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%body_start%'`,
      ),
    (waiting) => waiting.length === 1,
  );
  await closing.query('commit');
  closing.release();
  t.is(await recorded, 1);
  const [left] = await testDatabase.query(
    `select status, last_status_code, (select count(*)::int from delivery_lease where endpoint_id = $1) as leases
     from delivery_now where endpoint_id = $1`,
    [endpointId],
  );
  t.deepEqual(left, { status: 'succeeded', last_status_code: 200, leases: 0 });
});

test('an outcome is recorded as its own, and one with the lease of another not at all', async (t) => {
  const { testDatabase, pool } = await openStage(t);
  const endpointId = await addBacklog(testDatabase, { count: 2 });
  const claims = createClaims(pool);
  const [one] = (await claims.firstAttempts(1)).deliveries;
  const [other] = (await claims.firstAttempts(1)).deliveries;
  const outcome = { ...FAILED, statusCode: 200, error: null, ip: null, bodyStart: null };
  const delivery = one!;
  const stolen = { ...other!, leaseToken: one!.leaseToken };
  t.is(await recordOutcomes(pool, [{ delivery: stolen, outcome }]), 0);
  t.is(await recordOutcomes(pool, [{ delivery, outcome }]), 1);
  const left = await testDatabase.query<{ id: string }>(
    `select s.delivery_id as id from delivery_state s
       join delivery_lease l on l.delivery_id = s.delivery_id where s.endpoint_id = $1`,
    [endpointId],
  );
  t.deepEqual(left, [{ id: other!.id }]);
});
