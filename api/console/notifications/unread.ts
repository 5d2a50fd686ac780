import { countUnread } from '../../../domain/notifications/notification.repository.ts';
import type { SessionContext } from '../../http/route.ts';

/** Counts what the console's navigation shows. */
export function unreadOf({
  services,
  currentUser,
}: Pick<SessionContext, 'services' | 'currentUser'>): Promise<number> {
  return countUnread(services.database.em(), currentUser.personId);
}
