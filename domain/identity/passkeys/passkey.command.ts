// Passkeys of a person. A person who was just shut out adds and removes none.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { LateRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { endAddressChanges } from '../mail/mail-link.repository.ts';
import { queueMail } from '../mail/mail.repository.ts';
import { lockForSession } from '../session.repository.ts';
import {
  countPasskeys,
  deletePasskey,
  hasPasskey,
  insertPasskey,
  consumeEnrolment,
  type NewPasskey,
} from './passkey.repository.ts';

type Change = {
  personId: string;
  /** The token of the session. */
  token: string | null;
  /** The address of the account. */
  address: string;
};

const MOST_PASSKEYS = 20;

/** Adds a passkey; an operator without one needs an open enrolment, which it uses up. */
export async function addPasskey(
  em: EntityManager,
  input: Change & { passkey: Omit<NewPasskey, 'personId'>; isEnrolment: boolean },
): Promise<{ added: true } | Refusal<'session_ended' | 'not_enrolling' | 'not_accepted'>> {
  return inTransaction(em, async (em) => {
    const { personId, address, passkey, isEnrolment } = input;
    if (!(await lockForSession(em, input))) return refuse('session_ended');
    if (isEnrolment && !(await consumeEnrolment(em, personId))) return refuse('not_enrolling');
    const isAdded = await insertWithinLimit(em, { ...passkey, personId });
    if (!isAdded) throw new LateRefusal('not_accepted');
    await queueMail(em, { purpose: 'passkey_added', personId, address });
    return { added: true };
  });
}

/**
 * Inserts a passkey within a command that holds the person's row. Returns false when the passkey is
 * registered already, or the person has too many.
 */
export async function insertWithinLimit(em: EntityManager, passkey: NewPasskey): Promise<boolean> {
  const person = await countPasskeys(em, passkey.personId);
  if (person === null || person.passkeys >= MOST_PASSKEYS) return false;
  return insertPasskey(em, { ...passkey, isUnproven: person.isUnproven });
}

/** Removes a passkey, but not the only way to sign in: of two removed at once, one stays. */
export async function removePasskey(
  em: EntityManager,
  input: Change & { passkeyId: string },
): Promise<{ isRemoved: boolean } | Refusal<'session_ended' | 'last_way_in'>> {
  return inTransaction(em, async (em) => {
    const { personId, address } = input;
    if (!(await lockForSession(em, input))) return refuse('session_ended');
    const isRemoved = await deletePasskey(em, input);
    if (!isRemoved) return (await hasPasskey(em, input)) ? refuse('last_way_in') : { isRemoved };
    await endAddressChanges(em, personId);
    await queueMail(em, { purpose: 'passkey_removed', personId, address });
    return { isRemoved };
  });
}
