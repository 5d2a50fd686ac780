// What the processor keeps of Member's charges. It is the platform's cost and no part of the ledger:
// the creator pool alone reads it.
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { RECEIVED_STATUSES } from '../purchases/received-statuses.ts';
import type { PaidCharge } from '../refunds/refund.repository.ts';

/** A fee that is not known by then is not asked for any more. */
const ASKED_FOR = '35 days';

/** The charges of a membership whose fee may still become known. */
export async function listChargesWithoutFee(
  em: EntityManager,
  membershipId: string,
): Promise<Pick<PaidCharge, 'paymentId' | 'processorId'>[]> {
  return kysely(em)
    .selectFrom('payment')
    .select(['id as paymentId', 'processorId'])
    .where('membershipId', '=', membershipId)
    .where('status', '=', anyOf(RECEIVED_STATUSES))
    .where('processorFeeMinor', 'is', null)
    .where('createdAt', '>', ago(ASKED_FOR))
    .orderBy('createdAt')
    .execute();
}

/** What is known stays: frozen months of the pool were counted with it. */
export async function recordProcessorFee(
  em: EntityManager,
  { paymentId, feeMinor }: { paymentId: string; feeMinor: number },
): Promise<void> {
  await kysely(em)
    .updateTable('payment')
    .set({ processorFeeMinor: feeMinor })
    .where('id', '=', paymentId)
    .where('processorFeeMinor', 'is', null)
    .execute();
}
