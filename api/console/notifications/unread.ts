import type { Visitor } from '../../../domain/identity/identity.repository.ts';
import { countUnread } from '../../../domain/notifications/notification.repository.ts';
import type { AnyCall } from '../../route.ts';

/** For the console's navigation. */
export function unreadOf({ services, visitor }: AnyCall & { visitor: Visitor }): Promise<number> {
  return countUnread(services.database.em(), visitor.personId);
}
