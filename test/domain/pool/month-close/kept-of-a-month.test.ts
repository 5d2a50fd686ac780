// What is kept of a month beside its figures: a preview until its freeze, its key for two years.
import test from 'ava';
import { previewPool } from '../../../../domain/pool/month-close/preview.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { firstDays, monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';
import { erasePoolKeys } from '../../../../domain/pool/period/period-keys.repository.ts';
import { newEncryptedPoolKey, openPoolKey } from '../../../../domain/pool/period/period-key.ts';
import { createEncryptor } from '../../../../domain/shared/secrets.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const scene = createPoolScene({ testDatabase, database });
const { query, addIncluded, pay, use, openPeriod, encryptor } = scene;

const preview = (periodId: string) =>
  previewPool(database, { periodId, encryptor: scene.encryptor });

async function readPreview(periodId: string) {
  const [row] = await query<{ figures: Figures | null; is_computed: boolean }>(
    `select figures, computed_at is not null as is_computed from pool_preview where period_id = $1`,
    [periodId],
  );
  return row ?? null;
}

type Figures = { products: { productId: string }[] } & Record<string, unknown>;

async function addMonth({ month, currency }: { month: string; currency: string }) {
  const { productId } = await addIncluded();
  const { personId } = await pay({ month, currency });
  await pay({ month, currency });
  await use(personId, { productId, month, mask: firstDays(1) });
  return { productId, periodId: await openPeriod(month, currency) };
}

test('an operator previews a running month', async (t) => {
  const { productId, periodId } = await addMonth({ month: monthsAgo(0), currency: 'USD' });
  await query(`insert into pool_preview (period_id) values ($1)`, [periodId]);
  t.deepEqual(await preview(periodId), { status: 'open' });
  t.deepEqual(await readPreview(periodId), {
    is_computed: true,
    figures: {
      poolShareBps: 7_000,
      feesMinor: '1998',
      platformMinor: '600',
      productsMinor: '699',
      unattributedMinor: '699',
      members: 2,
      membersWithoutDays: 1,
      products: [{ productId, amountMinor: '699', members: 1, qualifiedDays: 1 }],
    },
  });
  t.like(await scene.readPeriod(periodId), { status: 'open', freeze_began_at: null });
});

test('a preview is made anew at will, and ends when the month is frozen', async (t) => {
  const month = monthsAgo(1);
  const { productId, periodId } = await addMonth({ month, currency: 'EUR' });
  await preview(periodId);
  const { personId } = await pay({ month, currency: 'EUR' });
  await use(personId, { productId, month, mask: firstDays(4) });
  await preview(periodId);
  t.like((await readPreview(periodId))?.figures, { feesMinor: '2997', members: 3 });

  await scene.freeze(periodId);
  t.is(await readPreview(periodId), null);
  t.deepEqual(await preview(periodId), { status: 'frozen' });
  t.is(await readPreview(periodId), null);
});

test('what the preview says is what the month gives', async (t) => {
  const { productId, periodId } = await addMonth({ month: monthsAgo(1), currency: 'GBP' });
  await preview(periodId);
  const { figures } = (await readPreview(periodId))!;
  await scene.freeze(periodId);
  await scene.compute(periodId);
  const [line] = await scene.readAmounts(periodId, [productId]);
  t.like(figures!.products[0], { amountMinor: String(line!.amount), qualifiedDays: line!.days });
});

async function addKept(periodId: string, members: number) {
  await query(
    `insert into pool_member (period_id, member, net_minor, product_ids, days)
     select $1, decode(lpad(to_hex(n), 64, '0'), 'hex'), 999, '{}', '{}'
     from generate_series(1, $2::int) n`,
    [periodId, members],
  );
}

// Looks at all months: those of other tests come later.
test.serial(
  'the key of a month is erased after 24 months, and all that only it could tell',
  async (t) => {
    const old = await openPeriod(monthsAgo(25));
    const next = await openPeriod(monthsAgo(24));
    await addKept(old, 5_001);
    await addKept(next, 2);
    await query(
      `insert into pool_correction (period_id, corrected_id, member, net_minor_before,
       net_minor_after, product_ids, days_before, days_after)
     values ($1, $2, '\\x00', 9, 0, '{}', '{}', '{}')`,
      [next, old],
    );
    const erase = () => database.transaction(erasePoolKeys);
    t.true(await erase());
    while (await erase());
    const rows = await query(
      `select p.id, encrypted_key is null as is_erased,
       (select count(*)::int from pool_member where period_id = p.id) as members,
       (select count(*)::int from pool_correction where corrected_id = p.id) as corrections
     from pool_period p order by month`,
    );
    t.deepEqual(rows, [
      { id: old, is_erased: true, members: 0, corrections: 0 },
      { id: next, is_erased: false, members: 2, corrections: 0 },
    ]);
    t.false(await erase());
  },
);

test('a key names Members and products of its period alone, and opens in its row alone', (t) => {
  const [one, other] = ['2026-10:EUR', '2026-11:EUR'];
  const encryptedKey = newEncryptedPoolKey(encryptor, one!);
  const key = openPoolKey(encryptor, { id: one!, encryptedKey });
  t.regex(key.ofMember('a'), /^[0-9a-f]{64}$/);
  t.not(key.ofMember('a'), key.ofProduct('a'));
  t.is(openPoolKey(encryptor, { id: one!, encryptedKey }).ofMember('a'), key.ofMember('a'));
  const otherKey = { id: other!, encryptedKey: newEncryptedPoolKey(encryptor, other!) };
  t.not(openPoolKey(encryptor, otherKey).ofMember('a'), key.ofMember('a'));
  t.throws(() => openPoolKey(encryptor, { id: other!, encryptedKey }));
  const stranger = createEncryptor([{ id: 'k1', key: Buffer.alloc(32, 2) }]);
  t.throws(() => openPoolKey(stranger, { id: one!, encryptedKey }));
});
