import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';

type Hold = { productId: string; byId: string };

/** What the product would get waits from the next settlement on. False when it is held already. */
export async function holdPoolProduct(
  em: EntityManager,
  { productId, byId, reason }: Hold & { reason: string },
): Promise<boolean> {
  const held = await kysely(em)
    .insertInto('poolHold')
    .values({ id: newUuid(), productId, reason, heldBy: byId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return held.numInsertedOrUpdatedRows === 1n;
}

/** What waited is settled with the next month. False when the product is not held. */
export async function releasePoolProduct(
  em: EntityManager,
  { productId, byId }: Hold,
): Promise<boolean> {
  const released = await kysely(em)
    .updateTable('poolHold')
    .set({ releasedAt: NOW, releasedBy: byId })
    .where('productId', '=', productId)
    .where('releasedAt', 'is', null)
    .executeTakeFirst();
  return released.numUpdatedRows === 1n;
}
