import test from 'ava';
import type pg from 'pg';
import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import {
  claim,
  type ClaimedDelivery,
} from '../../../domain/webhooks/deliveries/claim-deliveries.query.ts';
import { ENDPOINT_LIMIT } from '../../../domain/webhooks/deliveries/attempts-at-once.ts';
import {
  recordOutcomes,
  type SentDelivery,
} from '../../../domain/webhooks/deliveries/record-attempts.query.ts';
import {
  closeClaimed,
  closeDeliveries,
} from '../../../domain/webhooks/deliveries/end-deliveries.query.ts';
import { addBacklog } from '../../support/webhooks/backlog.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const START = '00000000-0000-0000-0000-000000000000';
const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
test.afterEach.always(async () => {
  await testDatabase.query('delete from delivery_state');
  await testDatabase.query('delete from delivery_lease');
});

/** In a plan: all of the deliveries, or of an index of theirs. */
const SCAN =
  /Seq Scan on delivery(_state|_\d{4}_\d\d)?\b|Index (Only )?Scan using \S+ on delivery(_state|_\d{4}_\d\d)?\b.*\n(?!\s+Index Cond)/;

const OK = { durationMs: 1, statusCode: 200, error: null, ip: null, bodyStart: null };

/** An outcome whose delivery is there no more. */
const LOST: SentDelivery = {
  delivery: {
    id: 'evt_none',
    endpointId: START,
    productId: START,
    run: 1,
    step: 0,
    isRetry: false,
    leaseToken: START,
    wasInterrupted: false,
    eventName: 'purchase.completed',
    isExample: false,
    body: Buffer.from('{}'),
    url: 'https://hooks.example/in',
    encryptedSecret: '',
    previousEncryptedSecret: null,
    previousForMs: null,
    claimedAt: 0,
  },
  outcome: OK,
};

function countByEndpoint(deliveries: readonly ClaimedDelivery[]) {
  const counts = new Map<string, number>();
  for (const { endpointId } of deliveries)
    counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
  return counts;
}

test.serial('endpoints take turns: a backlog of one does not delay what another has', async (t) => {
  const busy = await addBacklog(testDatabase, { count: 500 });
  const others = [];
  for (let n = 0; n < 6; n += 1) others.push(await addBacklog(testDatabase, { count: 2 }));
  const { deliveries } = await createClaims(database.pool).firstAttempts(9);
  const counts = countByEndpoint(deliveries);
  for (const other of others) t.true(counts.get(other)! >= 1);
  t.true(counts.get(busy)! >= 1 && counts.get(busy)! <= 2);
});

test.serial(
  'of one endpoint the oldest comes first, and no more than may be under way',
  async (t) => {
    const endpointId = await addBacklog(testDatabase, { count: 50 });
    const claims = createClaims(database.pool);
    const { deliveries, isAtLimit, isMore } = await claims.firstAttempts(32);
    t.true(deliveries.length < ENDPOINT_LIMIT);
    t.true(isAtLimit);
    t.false(isMore);
    const oldest = await testDatabase.query<{ id: string }>(
      'select delivery_id as id from delivery_state where endpoint_id = $1 order by due_at limit $2',
      [endpointId, deliveries.length],
    );
    t.deepEqual(deliveries.map(({ id }) => id).toSorted(), oldest.map(({ id }) => id).toSorted());
    t.is((await claims.firstAttempts(32)).deliveries.length, 0);
    // Another process counts them too.
    t.is((await createClaims(database.pool).firstAttempts(32)).deliveries.length, 0);
    await recordOutcomes(database.pool, [{ delivery: deliveries[0]!, outcome: OK }]);
    t.is((await claims.firstAttempts(32)).deliveries.length, 1);
  },
);

test.serial(
  'first attempts and retries share the limit; a retry at the limit is busy',
  async (t) => {
    const endpointId = await addBacklog(testDatabase, { count: 20, status: 'retrying' });
    await testDatabase.query(
      `update delivery_state set status = 'pending', step = 0 where delivery_id in
       (select delivery_id from delivery_state where endpoint_id = $1 limit 10)`,
      [endpointId],
    );
    const claims = createClaims(database.pool);
    const first = (await claims.firstAttempts(32)).deliveries.length;
    const waiting = await testDatabase.query<{ id: string }>(
      `select delivery_id as id from delivery_state
       where endpoint_id = $1 and status = 'retrying'`,
      [endpointId],
    );
    const answers = await Promise.all(
      waiting.map(({ id }) => claims.retry({ deliveryId: id, run: 1, step: 1 })),
    );
    t.is(answers.filter((answer) => answer?.is === 'claimed').length, ENDPOINT_LIMIT - first);
    t.is(answers.filter((answer) => answer?.is === 'busy').length, 10 - (ENDPOINT_LIMIT - first));
    const [row] = await testDatabase.query<{ n: number }>(
      'select count(*)::int as n from delivery_lease where endpoint_id = $1',
      [endpointId],
    );
    t.is(row!.n, ENDPOINT_LIMIT);
  },
);

test.serial('an endpoint that answered slowly gets one first attempt at a time', async (t) => {
  const endpointId = await addBacklog(testDatabase, { count: 20 });
  const claims = createClaims(database.pool);
  claims.throttle.note(endpointId, 10_000);
  t.is((await claims.firstAttempts(32)).deliveries.length, 1);
  claims.throttle.note(endpointId, 20);
  t.true((await claims.firstAttempts(32)).deliveries.length > 1);
});

test.serial('many endpoints at their limit hide none behind them', async (t) => {
  for (let n = 0; n < 100; n += 1) {
    const endpointId = await addBacklog(testDatabase, { count: 10 });
    await testDatabase.query(
      `insert into delivery_lease (delivery_id, endpoint_id, owner_id, token, until)
       select delivery_id, endpoint_id, gen_random_uuid(), gen_random_uuid(),
         gatehouse_now() + interval '1 minute'
       from delivery_state where endpoint_id = $1 order by due_at limit 8`,
      [endpointId],
    );
  }
  const free = await addBacklog(testDatabase, { count: 1 });
  const claims = createClaims(database.pool);
  const claimed: ClaimedDelivery[] = [];
  let isMore = true;
  while (isMore) {
    const round = await claims.firstAttempts(32);
    claimed.push(...round.deliveries);
    ({ isMore } = round);
  }
  t.deepEqual(
    claimed.map(({ endpointId }) => endpointId),
    [free],
  );
});

test.serial('several dispatchers at once: every delivery is claimed once', async (t) => {
  for (let n = 0; n < 40; n += 1) await addBacklog(testDatabase, { count: 5 });
  const seen: string[] = [];
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const claims = createClaims(database.pool);
      let isMore = true;
      while (isMore) {
        const round = await claims.firstAttempts(16);
        seen.push(...round.deliveries.map(({ id }) => id));
        ({ isMore } = round);
      }
    }),
  );
  t.is(seen.length, 200);
  t.is(new Set(seen).size, 200);
});

test.serial(
  'no claim scans a table, however many deliveries wait: not with old numbers either',
  async (t) => {
    const client = await database.pool.connect();
    t.teardown(() => client.release());
    const pool = client as unknown as pg.Pool;
    const plans = async () => {
      await claim(pool, {
        retries: [{ deliveryId: 'evt_none', run: 1, step: 1 }],
        limit: 32,
        slowLimit: 32,
        visits: 64,
        afterEndpointId: START,
        slowEndpointIds: [],
      });
      await closeDeliveries(pool);
      await closeClaimed(pool, [{ id: 'evt_none', wasInterrupted: true }], START);
      await recordOutcomes(pool, [LOST]);
      const found = [];
      for (const sql of [
        `execute claim('{evt_none}', '{1}', '{1}', '${START}', 64, '{}', 32, 32, gen_random_uuid())`,
        `execute close_deliveries('webhookDelivery', 'delivery:', 3, 'deliveryCohort')`,
        `execute close_claimed('{evt_none}', '${START}', '{evt_none}')`,
        `execute record_attempts('{evt_none}', '{${START}}', '{1}', '{200}', '{null}', '{null}',
           '{null}', '{false}', '{60000}', 'webhookDelivery', 'delivery:', 3,
           'deliveryCohort', '{null}', '{null}')`,
      ]) {
        const { rows } = await client.query<Record<string, string>>(`explain ${sql}`);
        found.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      }
      return found;
    };
    await addBacklog(testDatabase, { count: 200 });
    await testDatabase.query(`
      create temp table ordered as select * from delivery_state order by delivery_id;
      delete from delivery_state;
      insert into delivery_state select * from ordered;
      delete from ordered`);
    await testDatabase.query('vacuum analyze delivery, delivery_state, webhook_endpoint');
    await testDatabase.query('delete from delivery_state');
    await testDatabase.query('vacuum delivery_state');
    for (let n = 0; n < 6; n += 1) await plans();
    await addBacklog(testDatabase, { count: 20_000 });
    for (let n = 0; n < 20; n += 1) await addBacklog(testDatabase, { count: 10 });
    for (const plan of await plans()) {
      t.notRegex(plan, SCAN);
      t.notRegex(plan, /Index (Only )?Scan using delivery_state_product/);
    }
    await testDatabase.query('vacuum analyze delivery, delivery_state, webhook_endpoint, event');
    for (const plan of await plans()) t.notRegex(plan, SCAN);
  },
);

async function settle(): Promise<void> {
  while ((await closeDeliveries(database.pool)) > 0);
}

test.serial(
  'an endpoint that was disabled is settled again when it is deleted, however soon after',
  async (t) => {
    const endpointId = await addBacklog(testDatabase, { count: 2 });
    const statuses = async () => {
      const rows = await testDatabase.query<{ status: string }>(
        'select status from delivery_state where endpoint_id = $1',
        [endpointId],
      );
      return rows.map(({ status }) => status);
    };
    await testDatabase.query(
      'update webhook_endpoint set disabled_at = gatehouse_now() where id = $1',
      [endpointId],
    );
    await settle();
    t.deepEqual(await statuses(), ['held', 'held']);
    await testDatabase.query(
      `update webhook_endpoint set deleted_at = disabled_at + interval '1 millisecond' where id = $1`,
      [endpointId],
    );
    await settle();
    t.deepEqual(await statuses(), ['cancelled', 'cancelled']);
  },
);
