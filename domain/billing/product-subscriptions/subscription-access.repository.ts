// The access that a product's subscription gives: renewed, moved to an end, ended.
import { expressionBuilder, sql, type Expression } from 'kysely';
import {
  lockAccess,
  storeAccess,
  type AccessKey,
} from '../../entitlements/entitlement.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely, type Tables } from '../../kysely.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

/** Prolongs the access after a paid renewal: it has no end while the subscription renews. */
export async function renewAccess(em: EntityManager, subscription: SubscriptionRow): Promise<void> {
  const { purchaseId } = subscription;
  const access = await lockAccess(em, subscription);
  await moveAccessEnd(em, subscription, null);
  await storeAccess(em, access, { reason: 'renewed', purchaseId });
}

/** The key of a subscription's access. */
export function accessOf({ productId, personId }: SubscriptionRow): AccessKey {
  return { productId, personId };
}

type Source = Pick<SubscriptionRow, 'productId' | 'personId' | 'purchaseId'>;

/**
 * Call it between lockAccess and storeAccess: sets the end of a running subscription's access; null while it
 * renews.
 */
export async function moveAccessEnd(em: EntityManager, source: Source, endsAt: Date | null) {
  await setEnd(em, source, endsAt && afterStart(endsAt));
}

/** Sets the end for a subscription that is over: an earlier end stays. */
export async function endAccess(em: EntityManager, source: Source, endsAt: Date): Promise<void> {
  await setEnd(em, source, fn<Date>('least', [ref('endsAt'), afterStart(endsAt)]));
}

const { fn, ref, val } = expressionBuilder<Tables, 'accessGrant'>();

/** The processor's period may have ended before its money arrived. */
const afterStart = (endsAt: Date) =>
  fn<Date>('greatest', [val(endsAt), sql`${ref('startsAt')} + interval '1 millisecond'`]);

async function setEnd(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Expression<Date> | null,
): Promise<void> {
  await kysely(em)
    .updateTable('accessGrant')
    .set({ endsAt })
    .where('productId', '=', productId)
    .where('personId', '=', personId)
    .where('source', '=', purchaseId)
    .execute();
}
