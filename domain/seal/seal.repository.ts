import { notifyIntegrators } from '../notifications/recipients.repository.ts';
import { now, type EntityManager } from '../../platform/database/database.ts';
import { anyOf, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { decideSeal, isShown, type Seal, type SealNews } from './seal-state.ts';

/** A seal with the times that people read. */
export type StoredSeal = Seal & {
  heldSince: Date | null;
  noticedAt: Date | null;
  lostAt: Date | null;
};

const COLUMNS = [
  'state',
  'failures',
  'noticeEndsAt',
  'restoredFrom',
  'lossReason',
  'heldSince',
  'noticedAt',
  'lostAt',
] as const;

export async function findSeal(em: EntityManager, productId: string): Promise<StoredSeal | null> {
  const found = await kysely(em)
    .selectFrom('seal')
    .select(COLUMNS)
    .where('productId', '=', productId)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Locks the seals of listed products; those that are not listed any more are left out. Both rows
 * stay until the transaction ends: the product's first, as a change of its state has it.
 */
export async function lockSeals(
  em: EntityManager,
  productIds: readonly string[],
): Promise<Map<string, StoredSeal>> {
  const listed = await kysely(em)
    .selectFrom('product')
    .select('id as productId')
    .where('id', '=', anyOf(productIds))
    .where('state', '=', 'listed')
    .orderBy('id')
    .forShare()
    .execute();
  if (listed.length === 0) return new Map();
  await kysely(em)
    .insertInto('seal')
    .values(listed)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const seals = await kysely(em)
    .selectFrom('seal')
    .select(['productId', ...COLUMNS])
    .where('productId', '=', anyOf(listed.map(({ productId }) => productId)))
    .orderBy('productId')
    .forUpdate()
    .execute();
  return new Map(seals.map(({ productId, ...seal }) => [productId, seal]));
}

export type SealUpdate = { productId: string; before: StoredSeal; seal: Seal };

/** Writes the seals that changed, whose rows are locked. */
export async function writeSeals(
  em: EntityManager,
  updates: readonly SealUpdate[],
  at: Date,
): Promise<void> {
  const changed = updates.filter(({ before, seal }) => hasChanged(before, seal));
  if (changed.length === 0) return;
  const rows = changed.map(({ productId, before, seal }) => ({
    productId,
    ...seal,
    ...datesOf(before, { seal, at }),
  }));
  await kysely(em)
    .insertInto('seal')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('productId')
        .doUpdateSet(({ ref }) =>
          Object.fromEntries(COLUMNS.map((column) => [column, ref(`excluded.${column}`)])),
        ),
    )
    .execute();
}

function hasChanged(before: StoredSeal, seal: Seal): boolean {
  return (
    before.state !== seal.state ||
    before.failures !== seal.failures ||
    before.restoredFrom !== seal.restoredFrom ||
    before.lossReason !== seal.lossReason
  );
}

function datesOf(before: StoredSeal, { seal, at }: { seal: Seal; at: Date }) {
  const isNoticed = seal.noticeEndsAt !== null;
  return {
    heldSince: isShown(seal.state) ? (before.heldSince ?? at) : null,
    noticedAt: isNoticed ? (before.noticedAt ?? at) : null,
    lostAt: seal.state === 'lost' ? (before.lostAt ?? at) : null,
  };
}

/** Belongs in the transaction that unlists or removes the product, whose row it has changed. */
export async function closeSeal(
  em: EntityManager,
  { productId, reason }: { productId: string; reason: 'unlisted' | 'removed' },
): Promise<void> {
  const before = await kysely(em)
    .selectFrom('seal')
    .select(COLUMNS)
    .where('productId', '=', productId)
    .forUpdate()
    .executeTakeFirst();
  if (!before) return;
  const { seal, news } = decideSeal(before, { kind: 'closed', reason })!;
  await writeSeals(em, [{ productId, before, seal }], await now(em));
  await closeAppeals(em, [productId]);
  if (news !== null) await notifyOfSeal(em, { productId, news, seal });
}

/** Appeals that have nothing left to ask for. */
export async function closeAppeals(
  em: EntityManager,
  productIds: readonly string[],
): Promise<void> {
  if (productIds.length === 0) return;
  await kysely(em)
    .updateTable('sealAppeal')
    .set({ outcome: 'closed', answeredAt: NOW })
    .where('productId', '=', anyOf(productIds))
    .where('outcome', 'is', null)
    .execute();
}

/** Tells the people who can mend it, in the console and by mail. */
export async function notifyOfSeal(
  em: EntityManager,
  { productId, news, seal }: { productId: string; news: SealNews; seal: Seal },
): Promise<void> {
  const data = {
    reason: seal.lossReason,
    noticeEndsAt: seal.noticeEndsAt?.toISOString() ?? null,
  };
  await notifyIntegrators(em, { productId, kind: `seal_${news}`, data });
}
