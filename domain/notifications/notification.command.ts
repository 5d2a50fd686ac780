import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { markRead } from './notification.repository.ts';

/** Marks one notification or all of a person as read. */
export async function markNotifications(
  em: EntityManager,
  input: { personId: string; notificationId: string | null },
): Promise<void> {
  return inTransaction(em, (em) => markRead(em, input));
}
