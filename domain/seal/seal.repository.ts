import { notifyIntegrators } from '../notifications/recipients.repository.ts';
import { LOCK, now, type EntityManager } from '../../platform/database/database.ts';
import { anyOf, CLOCK } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { Seal as SealEntity, SealAppeal } from './seal.entity.ts';
import { decideSeal, isShown, type Seal, type SealNews } from './seal-state.ts';

/** A seal with the times that people read. */
export type StoredSeal = Seal & {
  productId: string;
  heldSince: Date | null;
  noticedAt: Date | null;
  lostAt: Date | null;
};

export function findSeal(em: EntityManager, productId: string): Promise<StoredSeal | null> {
  return em.findOne(SealEntity, { productId });
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
  const productId = { $in: listed.map((product) => product.productId) };
  const seals = await em.find(
    SealEntity,
    { productId },
    { ...LOCK, orderBy: { productId: 'asc' } },
  );
  return new Map(seals.map((seal) => [seal.productId, seal]));
}

/** Moves a seal whose row is locked. */
export function moveSeal(stored: StoredSeal, { seal, at }: { seal: Seal; at: Date }): void {
  Object.assign(stored, seal, datesOf(stored, { seal, at }));
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
  const stored = await em.findOne(SealEntity, { productId }, LOCK);
  if (!stored) return;
  const { seal, news } = decideSeal(stored, { kind: 'closed', reason })!;
  moveSeal(stored, { seal, at: await now(em) });
  await closeAppeals(em, [productId]);
  if (news !== null) await notifyOfSeal(em, { productId, news, seal });
}

/** Appeals that have nothing left to ask for. */
export async function closeAppeals(
  em: EntityManager,
  productIds: readonly string[],
): Promise<void> {
  if (productIds.length === 0) return;
  await em.nativeUpdate(
    SealAppeal,
    { productId: { $in: [...productIds] }, outcome: null },
    { outcome: 'closed', answeredAt: CLOCK },
  );
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
