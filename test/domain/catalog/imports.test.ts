import test from 'ava';
import { requestImport } from '../../../domain/catalog/imports/listing-import.command.ts';
import {
  findImport,
  moveImport,
  removeOldImports,
} from '../../../domain/catalog/imports/listing-import.repository.ts';
import {
  reserveRequests,
  settleRequests,
} from '../../../domain/catalog/imports/upstream-quota.repository.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
const { query } = testDatabase;

const ADDRESS = 'https://paper.example/';

async function ask({ personId, productId }: { personId: string; productId: string }) {
  const by = { personId, ip: null };
  const request = { productId, teamId: null, by, kind: 'page', address: ADDRESS } as const;
  return requestImport(database.em(), request);
}

async function start(): Promise<string> {
  const asked = await ask(await addProduct(testDatabase));
  return (asked as { importId: string }).importId;
}

const move = (id: string, to: Parameters<typeof moveImport>[2]) =>
  moveImport(database.em(), id, to);

test.serial('an import is queued and audited', async (t) => {
  const owner = await addProduct(testDatabase);
  const { importId } = (await ask(owner)) as { importId: string };
  t.like(await findImport(database.em(), importId), {
    productId: owner.productId,
    kind: 'page',
    address: ADDRESS,
    state: 'queued',
  });
  const audited = await query('select action, detail from audit where subject = $1', [importId]);
  t.deepEqual(audited, [
    { action: 'import.requested', detail: { kind: 'page', address: ADDRESS } },
  ]);
});

test.serial('ten imports an hour and product are allowed, also at once', async (t) => {
  const owner = await addProduct(testDatabase);
  const asked = await Promise.all(Array.from({ length: 12 }, () => ask(owner)));
  t.is(asked.filter((each) => 'refused' in each && each.refused === 'too_many').length, 2);
  await query(
    `update listing_import set created_at = now() - interval '61 minutes' where product_id = $1`,
    [owner.productId],
  );
  t.true('importId' in (await ask(owner)));
});

test.serial('a removed product imports nothing, and shows no import', async (t) => {
  const owner = await addProduct(testDatabase);
  const { importId } = (await ask(owner)) as { importId: string };
  await query(`update product set state = 'removed' where id = $1`, [owner.productId]);
  t.deepEqual(await ask(owner), { refused: 'removed' });
  t.is(await findImport(database.em(), importId), null);
});

test.serial('an import moves as its states allow, and else stays', async (t) => {
  const id = await start();
  const until = new Date('2030-01-01T00:00:00.000Z');
  t.false(await move(id, { to: 'ready', findings: {} }), 'it was not fetched');
  t.true(await move(id, { to: 'fetching' }));
  t.true(await move(id, { to: 'fetching' }), 'a lost worker begins again');
  t.true(await move(id, { to: 'waiting', until }));
  t.like(await findImport(database.em(), id), { state: 'waiting', waitUntil: until, waits: 1 });
  t.true(await move(id, { to: 'fetching' }));
  t.true(await move(id, { to: 'ready', findings: { name: 'Paper' } }));
  t.false(await move(id, { to: 'refused', refusal: 'unreachable' }));
  t.true(await move(id, { to: 'applying' }));
  t.false(await move(id, { to: 'applying' }), 'only one of two applies it');
  t.true(await move(id, { to: 'applied' }));
  t.like(await findImport(database.em(), id), { state: 'applied', findings: { name: 'Paper' } });
  const refused = await start();
  t.true(await move(refused, { to: 'refused', refusal: 'unreachable' }));
  t.false(await move(refused, { to: 'fetching' }));
});

test.serial('findings are at most 64 KiB', async (t) => {
  const id = await start();
  await move(id, { to: 'fetching' });
  await t.throwsAsync(move(id, { to: 'ready', findings: { text: 'x'.repeat(65_536) } }));
  t.true(await move(id, { to: 'ready', findings: { text: 'x'.repeat(65_000) } }));
});

test.serial('findings expire after 30 days, and ended imports go after 60', async (t) => {
  const [ready, young, ended] = await Promise.all([start(), start(), start()]);
  for (const id of [ready, young]) {
    await move(id, { to: 'fetching' });
    await move(id, { to: 'ready', findings: {} });
  }
  await move(ended, { to: 'refused', refusal: 'unreachable' });
  const age = (id: string, days: number) =>
    query(
      'update listing_import set changed_at = now() - make_interval(days => $2) where id = $1',
      [id, days],
    );
  await Promise.all([age(ready, 31), age(young, 29), age(ended, 61)]);
  t.false(await database.transaction(removeOldImports));
  t.like(await findImport(database.em(), ready), { state: 'expired', findings: null });
  t.like(await findImport(database.em(), young), { state: 'ready' });
  t.is(await findImport(database.em(), ended), null);
});

const quotaOf = async (host: string) =>
  (await query<{ used: number }>('select used from upstream_quota where host = $1', [host]))[0];

test.serial('imports at once never reserve more than 60 requests an hour and host', async (t) => {
  const host = 'many.example';
  const reserve = () => reserveRequests(database.em(), host);
  const reserved = await Promise.all(Array.from({ length: 25 }, reserve));
  t.is(reserved.filter(({ isReserved }) => isReserved).length, 20);
  t.deepEqual(await quotaOf(host), { used: 60 });
  const [{ resetsAt }] = reserved as [(typeof reserved)[number]];
  t.true(reserved.every((each) => each.resetsAt.getTime() === resetsAt.getTime()));
  await query(`update upstream_quota set resets_at = now() where host = $1`, [host]);
  t.true((await reserve()).isReserved);
  t.deepEqual(await quotaOf(host), { used: 3 });
});

test.serial(
  'unused requests return, unless the window is over; what the host says wins',
  async (t) => {
    const host = 'one.example';
    const { resetsAt } = await reserveRequests(database.em(), host);
    const settlement = { host, resetsAt, requests: 2, limit: null };
    await settleRequests(database.em(), settlement);
    t.deepEqual(await quotaOf(host), { used: 2 });
    await settleRequests(database.em(), { ...settlement, resetsAt: new Date(0), requests: 0 });
    t.deepEqual(await quotaOf(host), { used: 2 });
    const later = new Date(resetsAt.getTime() + 60_000);
    const limit = { remaining: 1, resetsAt: later };
    await settleRequests(database.em(), { ...settlement, limit });
    t.deepEqual(await quotaOf(host), { used: 59 });
    t.deepEqual(await reserveRequests(database.em(), host), { isReserved: false, resetsAt: later });
    await settleRequests(database.em(), { ...settlement, limit: { ...limit, remaining: 399 } });
    t.deepEqual(await quotaOf(host), { used: 0 });
  },
);
