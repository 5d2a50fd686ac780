import { removeDeadAuthorizations } from '../domain/oauth/authorization.repository.ts';
import { removeEndedSessions } from '../domain/identity/session.repository.ts';
import { removeOldSignInAddresses } from '../domain/identity/sign-in.repository.ts';
import { removeOldMail } from '../domain/identity/mail/mail.repository.ts';
import { removeEndedChallenges } from '../domain/identity/passkeys/challenge.repository.ts';
import {
  eraseUnconfirmed,
  removeHeldHandles,
} from '../domain/identity/sign-up/sign-up.repository.ts';
import { emptyRateWindows } from '../domain/limits/rate-window.query.ts';
import { removeEndedThrottles } from '../domain/limits/throttle.repository.ts';
import { runEach } from '../domain/shared/run-each.ts';
import { removeOldInvitations } from '../domain/teams/invitation.repository.ts';
import type { EntityManager } from '../platform/database/database.ts';
import type { Services } from './services.ts';

// The next run removes the rest: no batch may outlast the activity's 15 seconds.
const MAX_DURATION_MS = 8_000;

/** Removes some rows and returns their number. */
type Batch = () => Promise<number>;

export function createUpkeepActivities(
  { database }: Pick<Services, 'database'>,
  { maxDurationMs = MAX_DURATION_MS }: { maxDurationMs?: number } = {},
) {
  const inTransaction = (remove: (em: EntityManager) => Promise<number>) => () =>
    database.transaction(remove);

  /** Runs one batch of each in turn until nothing is left, so that none waits for a longer one. */
  async function removeAll(first: Batch, ...others: Batch[]): Promise<{ removed: number }> {
    const endsAt = performance.now() + maxDurationMs;
    let removed = 0;
    let unfinished = [first, ...others];
    while (unfinished.length > 0) {
      const left: Batch[] = [];
      const run = async (batch: Batch) => {
        const inBatch = await batch();
        if (batch === first) removed += inBatch;
        if (inBatch > 0) left.push(batch);
      };
      await runEach(...unfinished.map((batch) => () => run(batch)));
      unfinished = performance.now() < endsAt ? left : [];
    }
    return { removed };
  }

  return {
    removeOldRateWindows: async () => ({ removed: await emptyRateWindows(database.pool) }),

    /** Removes sessions, which are counted, and other ended rows of people. */
    removeEndedSessions: () =>
      removeAll(
        inTransaction(removeEndedSessions),
        inTransaction(eraseUnconfirmed),
        inTransaction(removeOldMail),
        inTransaction(removeEndedChallenges),
        inTransaction(removeEndedThrottles),
        inTransaction(removeHeldHandles),
        inTransaction(removeOldInvitations),
        inTransaction(removeOldSignInAddresses),
      ),

    removeDeadAuthorizations: () => removeAll(inTransaction(removeDeadAuthorizations)),
  };
}
