// Money that becomes no order, because its account is deleted or its product removed. It is
// refunded by itself.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import type { DeletedParty } from '../../catalog/listing/deleted-party.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

/** The alert stays open until all of the money is back. */
export async function alertOfNoOrder(
  em: EntityManager,
  { subject, reason }: { subject: string; reason: DeletedParty },
): Promise<void> {
  await raiseAlert(em, { kind: 'no_order', subject, detail: { reason } });
}

/** Withdraws the alert when nothing of the refunded money is still here. */
export async function withdrawNoOrder(
  em: EntityManager,
  { column, subject }: { column: 'purchase_id' | 'membership_id'; subject: string },
): Promise<void> {
  const kept = await rows(
    em,
    `select 1 from payment y where y.${column} = ? and y.returned_minor < y.gross_minor
       and exists (select from refund r where r.payment_id = y.id and r.reason = 'not_as_agreed')`,
    [subject],
  );
  if (kept.length === 0) await withdrawAlerts(em, { kinds: ['no_order'], subject });
}
