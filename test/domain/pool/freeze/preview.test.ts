import test from 'ava';
import { previewPool } from '../../../../domain/pool/freeze/preview.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { firstDays, monthsAgo } from '../../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../../support/pool/pool-scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const scene = createPoolScene({ testDatabase, database });
const { query, addIncluded, pay, use, openPeriod } = scene;

const preview = (periodId: string) => previewPool(database, { periodId, sealer: scene.sealer });

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
