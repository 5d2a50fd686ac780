import test from 'ava';
import { createClaims } from '../../domain/webhooks/deliveries/claims.command.ts';
import { startDispatcher } from '../../worker/webhook-dispatcher.ts';
import { createLogger } from '../../platform/log.ts';
import {
  OWNER_LIMIT,
  OWNER_RETRY_LIMIT,
} from '../../domain/webhooks/deliveries/attempts-at-once.ts';
import type { Outcome } from '../../domain/webhooks/deliveries/record-attempts.query.ts';
import { addBacklog } from '../support/webhooks/backlog.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import { addProduct } from '../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
test.afterEach.always(async () => {
  await testDatabase.query('delete from delivery_state');
  await testDatabase.query('delete from delivery_lease');
});

const OK: Outcome = { durationMs: 1, statusCode: 200, error: null, ip: null, bodyStart: null };
const logger = createLogger({ name: 'test', format: 'json', level: 'silent' });

async function addOwner(): Promise<string> {
  return (await addProduct(testDatabase)).personId;
}

/** Endpoints of one owner, each with the same number of deliveries. */
async function addEndpoints(
  ownerId: string,
  { endpoints, each, status }: { endpoints: number; each: number; status?: string },
): Promise<string[]> {
  const made = [];
  for (let n = 0; n < endpoints; n += 1) {
    made.push(await addBacklog(testDatabase, { count: each, ownerId, ...(status && { status }) }));
  }
  return made;
}

test.serial('endpoints that never answer delay no delivery of another owner', async (t) => {
  const hanging = new Set(await addEndpoints(await addOwner(), { endpoints: 80, each: 15 }));
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const sent: string[] = [];
  const dispatcher = startDispatcher({
    database,
    claims: createClaims(database.pool),
    logger,
    sender: {
      async send({ endpointId }) {
        sent.push(endpointId);
        if (hanging.has(endpointId)) await answered;
        return OK;
      },
    },
  });
  await eventually(
    () => sent.length,
    (n) => n >= 32,
  );
  const other = await addBacklog(testDatabase, { count: 1 });
  dispatcher.wake();
  await eventually(
    () => sent.filter((endpointId) => endpointId === other).length,
    (n) => n === 1,
  );
  t.true(sent.length <= OWNER_LIMIT + 1);
  await testDatabase.query(`update delivery_state set status = 'cancelled'`);
  answer();
  await dispatcher.stop();
});

test.serial(
  'one owner has no more under way than its share, in all processes together',
  async (t) => {
    await addEndpoints(await addOwner(), { endpoints: 100, each: 8 });
    const claimed = [];
    for (const claims of [createClaims(database.pool), createClaims(database.pool)]) {
      for (let isMore = true; isMore;) {
        const round = await claims.firstAttempts(1_024);
        claimed.push(...round.deliveries);
        ({ isMore } = round);
        t.true(round.isAtLimit);
      }
    }
    t.is(claimed.length, OWNER_LIMIT);
    const other = await addBacklog(testDatabase, { count: 1 });
    const next = createClaims(database.pool);
    const found = [];
    for (let isMore = true; isMore;) {
      const round = await next.firstAttempts(1_024);
      found.push(...round.deliveries.map(({ endpointId }) => endpointId));
      ({ isMore } = round);
    }
    t.deepEqual(found, [other]);
  },
);

test.serial('many endpoints are no more turns: of few places each owner gets one', async (t) => {
  await addEndpoints(await addOwner(), { endpoints: 20, each: 5 });
  const other = await addBacklog(testDatabase, { count: 5 });
  const { deliveries } = await createClaims(database.pool).firstAttempts(2);
  t.true(deliveries.some(({ endpointId }) => endpointId === other));
});

test.serial('slow endpoints of many owners leave places to those that answer', async (t) => {
  const claims = createClaims(database.pool);
  for (let n = 0; n < 20; n += 1) {
    const slow = await addBacklog(testDatabase, { count: 3 });
    claims.throttle.note(slow, 9_500);
  }
  const healthy = await addBacklog(testDatabase, { count: 1 });
  const { deliveries, isAtLimit } = await claims.firstAttempts(1_024, 4);
  t.is(deliveries.length, 5);
  t.true(deliveries.some(({ endpointId }) => endpointId === healthy));
  t.true(isAtLimit);
});

test.serial("one owner's retries leave places to those of others", async (t) => {
  const ownerId = await addOwner();
  await addEndpoints(ownerId, { endpoints: 12, each: 5, status: 'retrying' });
  const theirs = await testDatabase.query<{ id: string }>(
    `select delivery_id as id from delivery_state where status = 'retrying'`,
  );
  const claims = createClaims(database.pool);
  const retry = ({ id }: { id: string }) => claims.retry({ deliveryId: id, run: 1, step: 1 });
  const answers = await Promise.all(theirs.map(retry));
  const others = createClaims(database.pool);
  t.is(answers.filter((answer) => answer?.is === 'claimed').length, OWNER_RETRY_LIMIT);
  t.is(answers.filter((answer) => answer?.is === 'busy').length, 60 - OWNER_RETRY_LIMIT);
  const endpointId = await addBacklog(testDatabase, { count: 1, status: 'retrying' });
  const [own] = await testDatabase.query<{ id: string }>(
    'select delivery_id as id from delivery_state where endpoint_id = $1',
    [endpointId],
  );
  t.like(await others.retry({ deliveryId: own!.id, run: 1, step: 1 }), { is: 'claimed' });
});

test.serial('a product that changes hands counts for its new owner', async (t) => {
  const [from, to] = [await addOwner(), await addOwner()];
  const [endpointId] = await addEndpoints(from, { endpoints: 1, each: 1 });
  await testDatabase.query(
    `update product set owner_person_id = $1
     where id = (select product_id from webhook_endpoint where id = $2)`,
    [to, endpointId],
  );
  await createClaims(database.pool).firstAttempts(1_024);
  const [lease] = await testDatabase.query<{ ownerId: string }>(
    'select owner_id as "ownerId" from delivery_lease',
  );
  t.is(lease!.ownerId, to);
});
