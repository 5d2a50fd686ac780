// What a reset by mail changes: the owner of the mailbox takes the account over, from whoever had it.
import { changePasswordHash, lockPerson } from '../../../domain/identity/account.repository.ts';
import { confirmAddress } from '../../../domain/identity/mail/confirm-address.repository.ts';
import {
  consumeMailLink,
  endAddressChanges,
  queueMail,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail.repository.ts';
import { endAuthorizations } from '../../../domain/oauth/authorization-end.repository.ts';
import { removePasskeys } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { endAllSessions } from '../../../domain/identity/session.repository.ts';
import type { ThrottledWork } from '../../../domain/limits/throttle.repository.ts';
import type { Database } from '../../../platform/database/database.ts';
import { forgetFailures } from '../password-throttle.ts';

/** What the owner wants to keep; all else that leads into the account goes. */
export type Kept = { passkeys: boolean; apps: boolean };

export type TakeOver = { id: string; personId: string; passwordHash: string; keeps: Kept };

/** Nothing that was made before the address was confirmed stays, whichever browser made it. */
const NO_BROWSER = { session: null, signUp: null };

class LinkOver extends Error {}

/** False, and nothing is changed, where the link was used meanwhile. */
export async function takeOver(database: Database, request: TakeOver): Promise<boolean> {
  try {
    await database.transaction((em) => replaceCredentials({ em, pool: database.pool }, request));
    return true;
  } catch (error) {
    if (error instanceof LinkOver) return false;
    throw error;
  }
}

async function replaceCredentials({ em, pool }: ThrottledWork, request: TakeOver): Promise<void> {
  const { id, personId, passwordHash, keeps } = request;
  // Consents before the person, as whoever gives one locks them; what was given meanwhile goes below.
  if (!keeps.apps) await endAuthorizations(em, personId);
  await lockPerson(em, personId);
  const link = await consumeMailLink(em, { id, purposes: ['reset_password'] });
  if (!link) throw new LinkOver();
  const { address } = link;
  const confirmed = await confirmAddress(em, { personId, address, browser: NO_BROWSER });
  if (confirmed === null) throw new LinkOver();
  await removePasskeys(em, { personId, onlyUnproven: keeps.passkeys });
  await changePasswordHash(em, { personId, passwordHash });
  await endAllSessions(em, personId);
  if (!keeps.apps) await endAuthorizations(em, personId);
  await revokeMailLinks(em, { personId, purpose: 'reset_password' });
  await endAddressChanges(em, personId);
  await forgetFailures(pool, personId);
  await queueMail(em, { purpose: 'password_changed', personId, address });
}
