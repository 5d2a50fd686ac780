import test from 'ava';
import type { Activities } from '../../activities/index.ts';
import { ensureSchedules } from '../../worker/schedules.ts';
import { startTaskWorkers } from '../../worker/workers.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'] });
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

/** Of each thing some that are over and one that is not. */
async function addAuthorizations(
  { query }: Stage['testDatabase'],
  { personId, productId }: { personId: string; productId: string },
) {
  await query(
    `insert into oauth_client (id, product_id, kind, name) values ('c', $1, 'public', 'App')`,
    [productId],
  );
  const columns = 'client_id, person_id, scope';
  const bound = `'c', '${personId}'::uuid, 'identity'`;
  await query(
    `insert into pending_authorization (token_hash, created_at, redirect_uri, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age, 'u', ${bound} from (values
       ('old request', interval '61 minutes'), ('new request', interval '59 minutes')) g (name, age)`,
  );
  await query(
    `insert into authorization_code (code_hash, created_at, consumed_at, redirect_uri, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age,
       case when is_used then gatehouse_now() - age end, 'u', ${bound}
     from (values ('fresh code', interval '4 minutes', false), ('unused code', '61 minutes', false),
       ('used code', '29 days', true), ('old code', '31 days', true)) g (name, age, is_used)`,
  );
  await query(
    `insert into access_token (token_hash, expires_at, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age, ${bound} from (values
       ('expired token', interval '29 days'), ('dead token', interval '31 days')) g (name, age)`,
  );
}

/** A row of the trail with its address. */
async function addTrail(
  { query }: Stage['testDatabase'],
  { personId, subject }: { personId: string; subject: string },
) {
  await query(
    `with trail as (
       insert into audit (id, actor_id, action, subject)
       select time_ordered_id(), $1, 'team.renamed', $2 returning id)
     insert into audit_address (audit_id, ip) select id, '192.0.2.7' from trail`,
    [personId, subject],
  );
}

/** Long over and open. */
async function addInvitations({ query }: Stage['testDatabase'], personId: string) {
  const [team] = await query<{ id: string }>(
    `insert into team (id, name) values (gen_random_uuid(), 'T') returning id`,
  );
  await query(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     select gen_random_uuid(), $1, name || '@example.com', 'viewer', $2, gatehouse_now() + ends
     from (values ('old', interval '-8 days'), ('new', interval '-6 days')) g (name, ends)`,
    [team!.id, personId],
  );
}

test('what is over is removed on schedule, what is not stays', async (t) => {
  const { client, prefix, testDatabase } = stage;
  const { personId, productId } = await addProduct(testDatabase);
  await addTrail(testDatabase, { personId, subject: 'old' });
  await testDatabase.advance(122 * 86_400_000); // 90 days, and the rest of a month
  // Every worker makes sure of it; the second finds it there.
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
  const schedule = client.schedule.getHandle(`${prefix}upkeep`);
  t.like((await schedule.describe()).spec.intervals?.[0], { every: 600_000 });
  await schedule.delete();
  const reconcile = client.schedule.getHandle(`${prefix}reconcile`);
  t.like((await reconcile.describe()).spec.intervals?.[0], { every: 300_000 });
  await reconcile.delete();
  for (const name of ['sweep', 'ledgerCheck', 'referenceCheck', 'salesDigest', 'sealReview']) {
    await client.schedule.getHandle(prefix + name).delete();
  }

  const [clock] = await testDatabase.query<{ second: number }>(
    'select floor(extract(epoch from gatehouse_now()))::int % 60 as second',
  );
  await testDatabase.advance((61 - clock!.second) * 1_000); // a minute begins
  await addAuthorizations(testDatabase, { personId, productId });
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

test('upkeep goes on where a call of it stopped, until nothing is left or it has made thirty', async (t) => {
  const { client, connection, address } = stage;
  const prefix = `${stage.prefix}stub-`;
  let [asked, summed, last] = [0, 0, 0];
  const nothing = () => Promise.resolve({ removed: 0 });
  const workers = await startTaskWorkers({
    connection,
    temporal: {
      address,
      namespace: 'default',
      taskQueuePrefix: prefix,
      uiUrl: undefined,
      tls: undefined,
      apiKey: undefined,
    },
    activities: {
      removeOldRateWindows: nothing,
      removeEndedSessions: nothing,
      removeDeadAuthorizations: nothing,
      watchEndpoints: () => Promise.resolve(false),
      removeOldRecords: async () => (asked += 1) !== last,
      sumUsage: async () => (summed += 1) !== last,
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
});
