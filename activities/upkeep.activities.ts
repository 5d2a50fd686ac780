import { removeDeadAuthorizations } from '../domain/identity/authorization-upkeep.store.ts';
import { removeEndedSessions } from '../domain/identity/identity.store.ts';
import { removeOldWindows } from '../domain/limits/limits.store.ts';
import type { Services } from './index.ts';

export function createUpkeepActivities({ database }: Services) {
  return {
    async removeOldRateWindows(): Promise<{ removed: number }> {
      return { removed: await removeOldWindows(database.pool) };
    },

    async removeEndedSessions(): Promise<{ removed: number }> {
      return { removed: await database.transaction(removeEndedSessions) };
    },

    async removeDeadAuthorizations(): Promise<{ removed: number }> {
      return { removed: await database.transaction(removeDeadAuthorizations) };
    },
  };
}
