import type { CurrentUser } from '../../../domain/identity/identity.repository.ts';
import { countUnread } from '../../../domain/notifications/notification.repository.ts';
import type { AnyCall } from '../../route.ts';

/** For the console's navigation. */
export function unreadOf({
  services,
  currentUser,
}: AnyCall & { currentUser: CurrentUser }): Promise<number> {
  return countUnread(services.database.em(), currentUser.personId);
}
