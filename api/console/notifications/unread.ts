import type { Visitor } from '../../../domain/identity/identity.store.ts';
import { countUnread } from '../../../domain/notifications/notification.store.ts';
import type { AnyCall } from '../../route.ts';

/** For the console's navigation. */
export function unreadOf({ services, visitor }: AnyCall & { visitor: Visitor }): Promise<number> {
  return countUnread(services.database.em(), visitor.personId);
}
