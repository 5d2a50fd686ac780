import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import type { Database } from '../../../../platform/database/database.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { firstDays, monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';
import { ROOT } from '../../../support/repository/imports.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const scene = createPoolScene({ testDatabase, database });
const { query, addIncluded, pay, use, openPeriod, freeze, compute } = scene;
const MONTH = monthsAgo(1);

// Each test has a currency of its own, and so a period of its own.
async function addMonth(currency: string, { members = 3 } = {}) {
  const products = [await addIncluded(), await addIncluded()];
  for (let n = 0; n < members; n += 1) {
    const { personId } = await pay({ month: MONTH, currency });
    for (const [place, { productId }] of products.entries()) {
      if (n > place)
        await use(personId, { productId, month: MONTH, mask: firstDays(2 * n + place) });
    }
  }
  const productIds = products.map(({ productId }) => productId);
  return { productIds, periodId: await openPeriod(MONTH, currency) };
}

test('a month is frozen, then computed, and the fees are split by days', async (t) => {
  const { productIds, periodId } = await addMonth('USD');
  t.deepEqual(await freeze(periodId), { status: 'frozen' });
  const frozen = await scene.readPeriod(periodId);
  t.like(frozen, { status: 'frozen', pool_share_bps: 7_000, problem: null });
  t.truthy(frozen['freeze_began_at']);

  t.deepEqual(await compute(periodId), { status: 'computed' });
  t.like(await scene.readPeriod(periodId), {
    status: 'computed',
    fees_minor: '2997',
    platform_minor: '900',
    products_minor: '1398',
    unattributed_minor: '699',
    members: 3,
    members_without_days: 1,
  });
  // 699 for 2 days; 699 for 4 days and 5.
  t.deepEqual(await scene.readAmounts(periodId, productIds), [
    { month: MONTH, place: 0, amount: 699 + 311, days: 6 },
    { month: MONTH, place: 1, amount: 388, days: 5 },
  ]);
});

test('a line is the owner’s, and has no bands of fewer than ten Members', async (t) => {
  const { productIds, periodId } = await addMonth('NZD', { members: 11 });
  await freeze(periodId);
  await compute(periodId);
  const lines = await query(
    `select l.product_id as product, l.person_id = p.owner_person_id as is_own, l.members,
       jsonb_array_length(l.bands) as bands, (l.bands->0->>'daysHere')::int as days
     from pool_line l join product p on p.id = l.product_id
     where l.period_id = $1 order by l.members desc`,
    [periodId],
  );
  const [first, second] = productIds;
  t.deepEqual(lines, [
    { product: first, is_own: true, members: 10, bands: 1, days: 110 },
    { product: second, is_own: true, members: 9, bands: 0, days: null },
  ]);
});

test('a repeated freeze or computation changes nothing', async (t) => {
  const { productIds, periodId } = await addMonth('CAD');
  await freeze(periodId);
  const snapshot = await scene.readFile({ periodId, file: 'snapshot' });
  const { personId } = await pay({ month: MONTH, currency: 'CAD' });
  t.deepEqual(await freeze(periodId), { status: 'frozen' });
  t.deepEqual(await scene.readFile({ periodId, file: 'snapshot' }), snapshot);
  t.is(await scene.readMember(periodId, personId), null);
  await compute(periodId);
  const before = await scene.readAmounts(periodId, productIds);
  t.deepEqual(await compute(periodId), { status: 'computed' });
  t.deepEqual(await freeze(periodId), { status: 'frozen' });
  t.deepEqual(await scene.readAmounts(periodId, productIds), before);
});

/** Fails at the n-th transaction, before or after it. */
function cutAt(n: number, { isAfter }: { isAfter: boolean }): Database {
  let count = 0;
  return {
    ...database,
    async transaction(work) {
      count += 1;
      if (count === n && !isAfter) throw new Error('cut');
      const result = await database.transaction(work);
      if (count === n) throw new Error('cut');
      return result;
    },
  };
}

test('a freeze that is cut at any place and repeated gives the same bytes', async (t) => {
  const { periodId } = await addMonth('AUD', { members: 5 });
  await freeze(periodId);
  const snapshot = await scene.readFile({ periodId, file: 'snapshot' });
  const { snapshot_sha256 } = await scene.readPeriod(periodId);
  let cuts = 0;
  for (let n = 1; ; n += 1) {
    for (const isAfter of [false, true]) {
      await query(
        `update pool_period set status = 'open', frozen_at = null, snapshot_sha256 = null where id = $1`,
        [periodId],
      );
      await query(`delete from pool_file_part where period_id = $1`, [periodId]);
      await query(`delete from pool_member where period_id = $1`, [periodId]);
      const cut = await freeze(periodId, cutAt(n, { isAfter })).catch((error: Error) => error);
      if (cut instanceof Error) cuts += 1;
      t.deepEqual(await freeze(periodId), { status: 'frozen' });
      t.deepEqual(await scene.readFile({ periodId, file: 'snapshot' }), snapshot);
      t.like(await scene.readPeriod(periodId), { snapshot_sha256 });
    }
    if (cuts < 2 * n) break;
  }
  t.true(cuts >= 8, String(cuts));
});

test('Members who are kept stay as they were read, whatever a repeated freeze finds', async (t) => {
  const { periodId } = await addMonth('CHF');
  const { personId, paymentId } = await pay({ month: MONTH, currency: 'CHF' });
  await t.throwsAsync(freeze(periodId, cutAt(2, { isAfter: true })), { message: 'cut' });
  await scene.returnMoney(paymentId, 999);
  await freeze(periodId);
  t.deepEqual(await scene.readMember(periodId, personId), { netMinor: 999, days: {} });
});

test('of two freezes at once both give the same snapshot', async (t) => {
  const { periodId } = await addMonth('SEK', { members: 14 });
  const both = await Promise.all([freeze(periodId), freeze(periodId), freeze(periodId)]);
  for (const frozen of both) t.deepEqual(frozen, { status: 'frozen' });
  t.deepEqual(await compute(periodId), { status: 'computed' });
});

test('a month without a charge closes itself as empty', async (t) => {
  const periodId = await openPeriod(MONTH, 'JPY');
  await query(`insert into pool_preview (period_id) values ($1)`, [periodId]);
  t.deepEqual(await freeze(periodId), { status: 'empty' });
  t.like(await scene.readPeriod(periodId), { status: 'empty', pool_share_bps: 7_000 });
  t.deepEqual(await query(`select * from pool_preview where period_id = $1`, [periodId]), []);
  t.deepEqual(await freeze(periodId), { status: 'empty' });
});

test('a month is not frozen before an earlier one of its currency', async (t) => {
  await openPeriod(monthsAgo(2), 'NOK');
  const periodId = await openPeriod(MONTH, 'NOK');
  await t.throwsAsync(freeze(periodId), { message: /an earlier month of NOK .* is still open/ });
  t.deepEqual(await freeze(`${monthsAgo(2)}:NOK`), { status: 'empty' });
  t.deepEqual(await freeze(periodId), { status: 'empty' });
});

// A setting is that of every currency: this test runs before the others.
test.serial('the share of the fees is the one in force at the month’s end', async (t) => {
  const { periodId } = await addMonth('DKK');
  const set = (bps: number, since: string) =>
    query(`insert into pool_setting (pool_share_bps, minimum_minor, since) values ($1, 1000, $2)`, [
      bps,
      since,
    ]);
  await set(6_000, `${MONTH}-28T00:00:00Z`);
  await set(5_000, `${monthsAgo(0)}-01T00:00:00Z`);
  await freeze(periodId);
  t.like(await scene.readPeriod(periodId), { pool_share_bps: 6_000 });
  await query(`delete from pool_setting where pool_share_bps in (5000, 6000)`);
});

test('`npm run pool -- compute` on the stored snapshot gives the stored statement', async (t) => {
  const { periodId } = await addMonth('EUR', { members: 14 });
  await freeze(periodId);
  await compute(periodId);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'snapshot.jsonl.gz');
  writeFileSync(file, await scene.readFile({ periodId, file: 'snapshot' }));
  const { stdout } = await execa(
    process.execPath,
    [join(ROOT, 'scripts/pool/main.ts'), 'compute', file],
    { stripFinalNewline: false },
  );
  t.is(stdout, await scene.readText({ periodId, file: 'statement' }));
  t.is(
    JSON.parse(stdout.trimEnd().split('\n').at(-1)!).sha256,
    (await scene.readPeriod(periodId))['statement_sha256'],
  );
});

test('no person and no product is named in a snapshot', async (t) => {
  const { productIds, periodId } = await addMonth('BRL');
  await freeze(periodId);
  const text = await scene.readText({ periodId, file: 'snapshot' });
  const people = await query<{ id: string }>(`select id from person`);
  for (const id of [...productIds, ...people.map((person) => person.id)]) {
    t.false(text.includes(id));
  }
});

test('a damaged snapshot stops the month with an alert, and nothing is paid', async (t) => {
  const { periodId } = await addMonth('PLN');
  await freeze(periodId);
  const [kept] = await query<{ bytes: Buffer }>(
    `select bytes from pool_file_part where period_id = $1`,
    [periodId],
  );
  const damage = (bytes: Buffer) =>
    query(`update pool_file_part set bytes = $2 where period_id = $1`, [periodId, bytes]);
  await damage(kept!.bytes.subarray(0, -30));
  const stopped = await compute(periodId);
  t.is(stopped.status, 'frozen');
  t.like(await scene.readPeriod(periodId), {
    status: 'frozen',
    problem: 'problem' in stopped ? stopped.problem : null,
  });
  const alerts = () =>
    query(`select kind, resolved_at is null as is_open from alert where subject = $1`, [periodId]);
  t.deepEqual(await alerts(), [{ kind: 'pool_stopped', is_open: true }]);
  t.deepEqual(await query(`select id from pool_line where period_id = $1`, [periodId]), []);

  await damage(kept!.bytes);
  t.deepEqual(await compute(periodId), { status: 'computed' });
  t.like(await scene.readPeriod(periodId), { status: 'computed', problem: null });
  t.deepEqual(await alerts(), [{ kind: 'pool_stopped', is_open: false }]);
});

test('a snapshot that is not the frozen one stops the month', async (t) => {
  const { periodId } = await addMonth('CZK');
  await freeze(periodId);
  await query(`update pool_period set snapshot_sha256 = $2 where id = $1`, [
    periodId,
    '0'.repeat(64),
  ]);
  t.like(await compute(periodId), { status: 'frozen' });
  t.regex(String((await scene.readPeriod(periodId))['problem']), /has the hash/);
});
