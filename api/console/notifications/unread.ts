import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { countUnread } from '../../../domain/notifications/notification.repository.ts';
import type { RouteContext } from '../../http/route.ts';

/** Counts what the console's navigation shows. */
export function unreadOf({
  services,
  currentUser,
}: RouteContext & { currentUser: CurrentUser }): Promise<number> {
  return countUnread(services.database.em(), currentUser.personId);
}
