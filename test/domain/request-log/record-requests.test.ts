import test from 'ava';
import {
  recordRequests,
  type LoggedRequest,
} from '../../../domain/request-log/record-requests.command.ts';
import { MOST_OF_OWNER } from '../../../domain/request-log/log-sampling.ts';
import { createRequestRecorder } from '../../../domain/request-log/request-recorder.command.ts';
import { dropPartition, makePartitions } from '../../../domain/retention/partitions.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query, advance } = testDatabase;
test.after.always(() => close());

const DAY_MS = 86_400_000;
let lastNumber = 0;

function requestOf(productId: string, given: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    caller: { keyId: newUuid(), productId },
    route: 'GET /api/v1/entitlements',
    status: 200,
    errorCode: null,
    param: null,
    isOwnTeam: false,
    requestId: `req_${(lastNumber += 1)}`,
    ageMs: 0,
    ...given,
  };
}

const record = (...requests: LoggedRequest[]) =>
  database.transaction((em) => recordRequests(em, requests));

const countOf = async (productId: string) =>
  (await query('select from api_request where product_id = $1', [productId])).length;

const daysOf = async () =>
  (await query(`select from pg_inherits where inhparent = 'api_request'::regclass`)).length;

test.serial('a row has the time of its request, and rows are in its order', async (t) => {
  const productId = newUuid();
  await record(
    requestOf(productId, { ageMs: 10, requestId: 'req_later' }),
    requestOf(productId, { ageMs: 2_000, requestId: 'req_earlier' }),
  );
  const rows = await query<{ id: string; age: number }>(
    `select request_id as id, extract(epoch from gatehouse_now() - created_at)::float as age
     from api_request where product_id = $1 order by api_request.id`,
    [productId],
  );
  t.deepEqual(
    rows.map(({ id }) => id),
    ['req_earlier', 'req_later'],
  );
  t.true(rows[0]!.age >= 2 && rows[0]!.age - rows[1]!.age > 1.9);
});

test.serial('processes that log for a product together stay within its quota', async (t) => {
  const productId = newUuid();
  const [clock] = await query<{ now: Date }>('select gatehouse_now() as now');
  await advance(DAY_MS - (clock!.now.getTime() % DAY_MS) - 120_000); // nearly all of a day is there
  await record(requestOf(productId));
  await query('update request_quota set successes = 6990, refusals = 3995 where product_id = $1', [
    productId,
  ]);
  const groups = Array.from({ length: 8 }, () => [
    ...Array.from({ length: 5 }, () => requestOf(productId)),
    ...Array.from({ length: 5 }, () => requestOf(productId, { status: 400, errorCode: 'x' })),
  ]);
  await Promise.all(groups.map((group) => record(...group)));
  const [quota] = await query<{ successes: number; refusals: number }>(
    'select successes, refusals from request_quota where product_id = $1',
    [productId],
  );
  t.true(quota!.successes <= 7_000 && quota!.refusals <= 4_000);
  t.is(await countOf(productId), quota!.successes - 6_990 + quota!.refusals - 3_995 + 1);
  await advance(DAY_MS);
  await record(requestOf(productId));
  const [next] = await query('select successes from request_quota where product_id = $1', [
    productId,
  ]);
  t.deepEqual(next, { successes: 1 });
});

test.serial('first-party clients and credentials that never were have no log', async (t) => {
  const before = (await query('select from api_request')).length;
  const caller = { refusedHash: Buffer.alloc(32, 7) };
  await record(
    requestOf('', { caller, status: 401 }),
    requestOf('', { caller: { clientId: 'gcl_nobody' } }),
  );
  t.is((await query('select from api_request')).length, before);
});

test.serial('the drafts of one builder share a budget once their owner is known', async (t) => {
  const { personId } = await addProduct(testDatabase);
  const drafts = await query<{ id: string }>(
    `insert into product (id, owner_person_id, name, tagline)
     select gen_random_uuid(), $1, 'P', '' from generate_series(1, 3) returning id`,
    [personId],
  );
  const recorder = createRequestRecorder(database, { warn: () => {} });
  const noteRefusals = async (times: number) => {
    for (const { id } of drafts) {
      for (let n = 0; n < times; n += 1) {
        const { ageMs: _, ...request } = requestOf(id, { status: 400, errorCode: 'x' });
        recorder.note(request);
      }
    }
    await recorder.close();
  };
  const countAll = async () => {
    const counts = await Promise.all(drafts.map(({ id }) => countOf(id)));
    return counts.reduce((sum, count) => sum + count);
  };
  await noteRefusals(1);
  const before = await countAll();
  await noteRefusals(15);
  t.is(before, 3);
  t.true((await countAll()) - before <= MOST_OF_OWNER);
});

test.serial('without its table the log loses rows, counts them, and fails nobody', async (t) => {
  const lost: object[] = [];
  const recorder = createRequestRecorder(database, { warn: (facts: object) => lost.push(facts) });
  await query('alter table request_quota rename to request_quota_away');
  const { ageMs: _, ...request } = requestOf(newUuid());
  for (let n = 0; n < 3; n += 1) recorder.note({ ...request, requestId: `req_lost_${n}` });
  await recorder.close();
  await query('alter table request_quota_away rename to request_quota');
  t.deepEqual(lost, [{ lost: 3 }]);
});

test.serial('a week of days is made ahead, and days that are over are dropped whole', async (t) => {
  t.is(await database.transaction(makePartitions), 0, 'the migration made them, once');
  const productId = newUuid();
  await record(requestOf(productId));
  const before = await daysOf();
  await advance(7 * DAY_MS); // makes the parts ahead
  t.is((await daysOf()) - before, 7);
  while (await database.transaction(dropPartition));
  t.is(await countOf(productId), 1, 'seven days are kept');
  await advance(DAY_MS);
  while (await database.transaction(dropPartition));
  t.is(await countOf(productId), 0);
  t.true((await daysOf()) <= 16);
});
