import { lockTable, type EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { PlatformFee } from './platform-fee.entity.ts';

export type PlatformFeeView = Awaited<ReturnType<typeof listPlatformFees>>[number];

/** The platform's current cut in basis points. */
export async function readPlatformFee(em: EntityManager): Promise<number> {
  const fee = await kysely(em)
    .selectFrom('platformFee')
    .select('basisPoints')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return fee.basisPoints;
}

/**
 * The cut at the moment of the checkout. So the booked cut equals the cut that the processor was
 * given, whatever was set in between.
 */
export async function readFeeOfPurchase(em: EntityManager, purchaseId: string): Promise<number> {
  const fee = await kysely(em)
    .selectFrom('purchase')
    .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
    .select('checkout.feeBasisPoints')
    .where('purchase.id', '=', purchaseId)
    .executeTakeFirst();
  if (!fee) throw new Error(`there is no purchase ${purchaseId}`);
  return fee.feeBasisPoints;
}

/** Returns the cut before, or null when nothing changes. Calls run one at a time. */
export async function setPlatformFee(
  em: EntityManager,
  { basisPoints, byId }: { basisPoints: number; byId: string },
): Promise<{ before: number } | null> {
  await lockTable(em, 'platform_fee');
  const before = await readPlatformFee(em);
  if (before === basisPoints) return null;
  await em.insert(PlatformFee, { basisPoints, setBy: byId });
  return { before };
}

const MOST_SHOWN = 50;

/** All cuts, the newest first. */
export async function listPlatformFees(em: EntityManager) {
  return kysely(em)
    .selectFrom('platformFee as fee')
    .leftJoin('person', 'person.id', 'fee.setBy')
    .select(['fee.basisPoints', 'fee.since', 'person.handle as setBy'])
    .orderBy('fee.id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
}
