import { forgetOldAddresses } from '../domain/audit/audit-upkeep.store.ts';
import { removeDeadAuthorizations } from '../domain/identity/oauth/authorization-upkeep.store.ts';
import { removeEndedSessions } from '../domain/identity/identity.store.ts';
import { removeOldMail } from '../domain/identity/mail/mail.store.ts';
import { removeEndedChallenges } from '../domain/identity/passkeys/passkey.store.ts';
import { removeHeldHandles } from '../domain/identity/sign-up/new-person.store.ts';
import { removeOldWindows } from '../domain/limits/limits.store.ts';
import { removeEndedThrottles } from '../domain/limits/throttle.store.ts';
import { removeOldInvitations } from '../domain/teams/invitation.store.ts';
import type { Services } from './index.ts';

export function createUpkeepActivities({ database }: Services) {
  return {
    async removeOldRateWindows(): Promise<{ removed: number }> {
      return { removed: await removeOldWindows(database.pool) };
    },

    /** Sessions, and what else of people has an end. */
    async removeEndedSessions(): Promise<{ removed: number }> {
      await removeOldMail(database.em());
      await removeEndedChallenges(database.em());
      await removeEndedThrottles(database.em());
      await removeHeldHandles(database.em());
      await removeOldInvitations(database.em());
      await forgetOldAddresses(database.em());
      return { removed: await database.transaction(removeEndedSessions) };
    },

    async removeDeadAuthorizations(): Promise<{ removed: number }> {
      return { removed: await database.transaction(removeDeadAuthorizations) };
    },
  };
}
