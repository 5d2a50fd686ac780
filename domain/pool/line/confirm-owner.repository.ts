import { recordAudit } from '../../audit/audit.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

type Confirmed = {
  ownerId: string;
  byId: string;
  ip?: string | null;
  reason?: string | null;
};

/**
 * An operator says yes to the owner's first payout: the next settlement pays what was held. False
 * without a payout account, or where somebody has confirmed it before.
 */
export async function confirmFirstPayout(
  em: EntityManager,
  confirmed: Confirmed,
): Promise<boolean> {
  const { ownerId, byId, ip = null, reason = null } = confirmed;
  const account = await kysely(em)
    .updateTable('payoutAccount')
    .set({ poolConfirmedAt: NOW, poolConfirmedBy: byId })
    .where(({ eb, or }) => or([eb('teamId', '=', ownerId), eb('personId', '=', ownerId)]))
    .where('poolConfirmedAt', 'is', null)
    .returning('processorAccount')
    .executeTakeFirst();
  if (!account) return false;
  // Not in the trail of the team: the reason and the address are the operator's.
  await recordAudit(em, {
    by: { personId: byId, ip },
    action: 'payouts.confirmed',
    subject: ownerId,
    detail: { account: account.processorAccount, ...(reason === null ? {} : { reason }) },
  });
  return true;
}
