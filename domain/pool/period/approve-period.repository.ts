import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { poolPeriodActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';

/** Of two operators at once the first approves: false for the second. */
export async function approvePeriod(
  em: EntityManager,
  { periodId, byId }: { periodId: string; byId: string },
): Promise<boolean> {
  const approved = await kysely(em)
    .updateTable('poolPeriod')
    .set({ status: 'approved', approvedAt: NOW, approvedBy: byId })
    .where('id', '=', periodId)
    .where('status', '=', 'in_review')
    .executeTakeFirst();
  if (approved.numUpdatedRows === 0n) return false;
  await sendToActor(em, poolPeriodActor(periodId), { kind: 'approved' });
  return true;
}
