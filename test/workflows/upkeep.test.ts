import test from 'ava';
import type { Activities } from '../../activities/index.ts';
import { ensureSchedules } from '../../worker/schedules.ts';
import { startTaskWorkers } from '../../worker/workers.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { addAuthorizations, addInvitations, addTrail } from '../support/workflows/upkeep-rows.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import type { TestDatabase } from '../support/engines/database.ts';
import { temporalSettings } from '../support/engines/temporal.ts';
import { listen } from '../../platform/http-server.ts';
import { createMetrics } from '../../worker/metrics.ts';
import { SCHEDULES } from '../../workflows/contracts.ts';
import { meetCriteria, readSeal, WEEK_MS } from '../support/catalog/seals.ts';
import { createSales } from '../support/purchases/sales.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'] });
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test.serial(
  'a changed cadence reaches a schedule that exists, and a pause by an operator survives it',
  async (t) => {
    const { client, prefix } = stage;
    const reconcile = SCHEDULES.find(({ workflowType }) => workflowType === 'reconcile')!;
    const handle = client.schedule.getHandle(`${prefix}reconcile`);
    t.teardown(() => handle.delete());
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
  },
);

test.serial(
  'the review of seals runs on Mondays at 04:00 UTC, catches up with a missed one, and outlasts an outage',
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
  'the review of seals reviews all pages, says so in Temporal, and changes nothing when it is repeated',
  async (t) => {
    const { client, prefix, testDatabase } = stage;
    const made = await Promise.all(Array.from({ length: 102 }, () => addProduct(testDatabase)));
    const { productId } = made[101]!;
    await meetCriteria(testDatabase, productId);
    const [all] = await testDatabase.query<{ reviewed: number }>(
      `select count(*)::int as reviewed from product
       where state = 'listed' and delivery = 'entitlement_api'`,
    );
    const run = async (name: string) => {
      const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}seal-${name}` };
      const handle = await client.workflow.start('sealReview', options);
      return { handle, done: (await handle.result()) as Record<string, unknown> };
    };
    const first = await run('first');
    t.like(first.done, { after: null, ...all, earned: 0 });
    const { searchAttributes } = await first.handle.describe();
    t.deepEqual(searchAttributes['GatehouseStatus'], ['reviewed']);
    t.like((await run('again')).done, { reviewed: 0, week: first.done['week'] });
    t.like(await readSeal(testDatabase, productId), { state: 'first_pass' });

    await testDatabase.advance(WEEK_MS);
    t.like((await run('second')).done, { ...all, earned: 1 });
    t.like(await readSeal(testDatabase, productId), { state: 'held' });
  },
);

test.serial(
  'every currency of the ledger is added up each night, and what is left over is seen',
  async (t) => {
    const { client, prefix, testDatabase, database } = stage;
    const sales = createSales({ testDatabase, database });
    const sale = await sales.paidSale();
    await sales.tell(sale, [{ amountMinor: 700 }]);
    await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
    const schedule = client.schedule.getHandle(`${prefix}ledgerCheck`);
    t.like((await schedule.describe()).spec.calendars?.[0], {
      hour: [{ start: 3, end: 3, step: 1 }],
    });
    for (const { workflowType } of SCHEDULES) {
      await client.schedule.getHandle(prefix + workflowType).delete();
    }

    const listener = await listen(createMetrics(database).handler, {
      hosts: ['127.0.0.1'],
      port: 0,
    });
    t.teardown(() => listener.close());
    const seen = async () => {
      const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
      const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
      t.true(value('gatehouse_ledger_check_age_seconds') >= 0);
      return value('gatehouse_ledger_unbalanced_currencies');
    };
    const check = () =>
      client.workflow.execute('ledgerCheck', {
        taskQueue: `${prefix}upkeep`,
        workflowId: `${prefix}ledger-check`,
      });
    t.deepEqual(await check(), {});
    t.is(await seen(), 0);

    // Only somebody who takes the guard away can do this.
    await testDatabase.query('alter table ledger_entry disable trigger ledger_is_balanced');
    await testDatabase.query(
      `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
     select 'x', 'seller', 'gross', 7, 'EUR', id from payment limit 1`,
    );
    t.deepEqual(await check(), { EUR: '7' });
    t.is(await seen(), 1);
  },
);

/** Windows and sessions, of each kind one that is over and one that is not. */
async function addEnding(testDatabase: TestDatabase, personId: string): Promise<void> {
  await testDatabase.query(
    `insert into rate_window (bucket, minute, n, slot)
     select name, minute - age, 600, (minute - age) % 3
     from floor(extract(epoch from gatehouse_now()) / 60) minute,
       (values ('old', 2), ('new', 0)) g (name, age)`,
  );
  await testDatabase.query(
    `insert into session (token_hash, person_id, expires_at) values
       ('old', $1, gatehouse_now() - interval '1 minute'),
       ('new', $1, gatehouse_now() + interval '1 minute')`,
    [personId],
  );
  await testDatabase.query(
    `insert into pre_session (token_hash, expires_at) values
       ('old', gatehouse_now() - interval '1 minute'),
       ('new', gatehouse_now() + interval '1 minute')`,
  );
}

test.serial('what is over is removed on schedule, what is not stays', async (t) => {
  const { client, prefix, testDatabase } = stage;
  const { personId, productId } = await addProduct(testDatabase);
  await addTrail(testDatabase, { personId, subject: 'old' });
  await testDatabase.advance(122 * 86_400_000); // 90 days, and the rest of a month
  // Every worker makes sure of it; the second finds it there.
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
  const schedule = client.schedule.getHandle(`${prefix}upkeep`);
  t.like((await schedule.describe()).spec.intervals?.[0], { every: 600_000 });
  const reconcile = client.schedule.getHandle(`${prefix}reconcile`);
  t.like((await reconcile.describe()).spec.intervals?.[0], { every: 300_000 });
  for (const { workflowType } of SCHEDULES) {
    await client.schedule.getHandle(prefix + workflowType).delete();
  }

  const [clock] = await testDatabase.query<{ second: number }>(
    'select floor(extract(epoch from gatehouse_now()))::int % 60 as second',
  );
  await testDatabase.advance((61 - clock!.second) * 1_000); // a minute begins
  await addAuthorizations(testDatabase, { personId, productId });
  await addEnding(testDatabase, personId);
  await addTrail(testDatabase, { personId, subject: 'new' });
  await addInvitations(testDatabase, personId);
  const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}upkeep-now` };
  const removed = await client.workflow.execute('upkeep', options);
  t.deepEqual(removed, { rateWindows: 1, sessions: 2, authorizations: 4 });
  const buckets = await testDatabase.query('select bucket from rate_window');
  t.deepEqual(buckets, [{ bucket: 'new' }]);
  const left = await testDatabase.query<{ hash: string }>(
    `select convert_from(token_hash, 'utf8') as hash from access_token
     union all select convert_from(code_hash, 'utf8') from authorization_code
     union all select convert_from(token_hash, 'utf8') from pending_authorization order by 1`,
  );
  t.deepEqual(
    left.map(({ hash }) => hash),
    ['expired token', 'fresh code', 'new request', 'used code'],
  );
  const trail = await testDatabase.query(
    `select subject, ip from audit left join audit_address on audit_id = audit.id order by at`,
  );
  t.deepEqual(trail, [
    { subject: 'old', ip: null },
    { subject: 'new', ip: '192.0.2.7' },
  ]);
  const invited = await testDatabase.query('select address from team_invitation');
  t.deepEqual(invited, [{ address: 'new@example.com' }]);
});

test.serial(
  'upkeep goes on where a call of it stopped, until nothing is left or it has made thirty',
  async (t) => {
    const { client, connection, address } = stage;
    const prefix = `${stage.prefix}stub-`;
    let [asked, summed, last] = [0, 0, 0];
    const nothing = () => Promise.resolve({ removed: 0 });
    const workers = await startTaskWorkers({
      connection,
      temporal: temporalSettings({ address, prefix }),
      activities: {
        removeOldRateWindows: nothing,
        removeEndedSessions: nothing,
        removeDeadAuthorizations: nothing,
        watchEndpoints: () => Promise.resolve(false),
        removeOldRecords: async () => (asked += 1) !== last,
        sumUsage: async () => (summed += 1) !== last,
        sumFigures: () => Promise.resolve(),
      } satisfies Partial<Activities> as unknown as Activities,
      workflowBundle: await loadWorkflowBundle(),
      taskQueues: ['upkeep'],
    });
    t.teardown(() => workers.stop());
    const options = { taskQueue: `${prefix}upkeep`, workflowId: prefix };
    for (const [end, calls] of [
      [2, 2],
      [-1, 30],
    ] as const) {
      [asked, summed] = [0, 0];
      last = end;
      await client.workflow.execute('upkeep', options);
      t.deepEqual([asked, summed], [calls, calls]);
    }
  },
);
