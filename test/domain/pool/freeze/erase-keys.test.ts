import test from 'ava';
import { erasePoolKeys } from '../../../../domain/pool/period/erase-keys.repository.ts';
import { newSealedPoolKey, openPoolKey } from '../../../../domain/pool/period/period-key.ts';
import { createSealer } from '../../../../domain/shared/secrets.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const { query, openPeriod, sealer } = createPoolScene({ testDatabase, database });

async function addKept(periodId: string, members: number) {
  await query(
    `insert into pool_member (period_id, member, net_minor, product_ids, days)
     select $1, decode(lpad(to_hex(n), 64, '0'), 'hex'), 999, '{}', '{}'
     from generate_series(1, $2::int) n`,
    [periodId, members],
  );
}

test('the key of a month is erased after 24 months, and all that only it could tell', async (t) => {
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
    `select p.id, sealed_key is null as is_erased,
       (select count(*)::int from pool_member where period_id = p.id) as members,
       (select count(*)::int from pool_correction where corrected_id = p.id) as corrections
     from pool_period p order by month`,
  );
  t.deepEqual(rows, [
    { id: old, is_erased: true, members: 0, corrections: 0 },
    { id: next, is_erased: false, members: 2, corrections: 0 },
  ]);
  t.false(await erase());
});

test('a key names Members and products of its period alone, and opens in its row alone', (t) => {
  const [one, other] = ['2026-10:EUR', '2026-11:EUR'];
  const sealedKey = newSealedPoolKey(sealer, one!);
  const key = openPoolKey(sealer, { id: one!, sealedKey });
  t.regex(key.ofMember('a'), /^[0-9a-f]{64}$/);
  t.not(key.ofMember('a'), key.ofProduct('a'));
  t.is(openPoolKey(sealer, { id: one!, sealedKey }).ofMember('a'), key.ofMember('a'));
  const otherKey = { id: other!, sealedKey: newSealedPoolKey(sealer, other!) };
  t.not(openPoolKey(sealer, otherKey).ofMember('a'), key.ofMember('a'));
  t.throws(() => openPoolKey(sealer, { id: other!, sealedKey }));
  const stranger = createSealer([{ id: 'k1', key: Buffer.alloc(32, 2) }]);
  t.throws(() => openPoolKey(stranger, { id: one!, sealedKey }));
});
