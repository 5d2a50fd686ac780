import { expressionBuilder, sql, type Expression } from 'kysely';
import type { AccessKey } from '../../entitlements/entitlement.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely, type Tables } from '../../kysely.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

/** The key of a subscription's access. */
export function accessOf({ productId, personId }: SubscriptionRow): AccessKey {
  return { productId, personId };
}

type Source = Pick<SubscriptionRow, 'productId' | 'personId' | 'purchaseId'>;

/**
 * Call it inside changeAccess: sets the end of a running subscription's access; null while it
 * renews.
 */
export async function moveAccessEnd(
  em: EntityManager,
  source: Source,
  endsAt: Date | null,
): Promise<void> {
  await setEnd(em, source, endsAt && afterStart(endsAt));
}

/** The same for a subscription that is over: an earlier end stays. */
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
