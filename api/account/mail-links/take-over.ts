// Applies a password reset: the owner of the mailbox gets the account.
import { changePasswordHash } from '../../../domain/identity/account.repository.ts';
import { confirmAddress } from '../../../domain/identity/mail/confirm-address.repository.ts';
import {
  consumeMailLink,
  endAddressChanges,
  revokeMailLinks,
} from '../../../domain/identity/mail/mail-link.repository.ts';
import { queueMail } from '../../../domain/identity/mail/mail.repository.ts';
import { endAuthorizations } from '../../../domain/oauth/revoke-consents.command.ts';
import { removePasskeys } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { lockSignUps } from '../../../domain/identity/sign-up/sign-up.repository.ts';
import { endAllSessions } from '../../../domain/identity/session.repository.ts';
import type { ThrottledWork } from '../../../domain/limits/throttle.repository.ts';
import { isDuplicate, type Database } from '../../../platform/database/database.ts';
import { forgetFailures } from '../password-throttle.ts';

/** The credentials that the owner keeps. The reset removes all others. */
export type Kept = { passkeys: boolean; apps: boolean };

export type TakeOver = {
  id: string;
  personId: string;
  address: string;
  passwordHash: string;
  keeps: Kept;
};

/** The reset removes every credential that was added before the address was confirmed. */
const NO_BROWSER = { session: null, signUp: null };

class LinkOver extends Error {}

/** Returns false and changes nothing if another request has used the link, or has taken the address. */
export async function takeOver(database: Database, request: TakeOver): Promise<boolean> {
  try {
    await database.transaction((em) => replaceCredentials({ em, pool: database.pool }, request));
    return true;
  } catch (error) {
    if (error instanceof LinkOver || isDuplicate(error)) return false;
    throw error;
  }
}

async function replaceCredentials({ em, pool }: ThrottledWork, request: TakeOver): Promise<void> {
  const { id, personId, passwordHash, keeps } = request;
  // Lock order: consents, then the person, as in the consent route. Consents given in between are
  // revoked below.
  if (!keeps.apps) await endAuthorizations(em, personId);
  await lockSignUps(em, request);
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
