// What the command line does to operators. The terminal has no person and no IP address.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { revokeMailLinks } from '../mail/mail-link.repository.ts';
import { insertMail, queueMail } from '../mail/mail.repository.ts';
import { openEnrolment, removePasskeys } from '../passkeys/passkey.repository.ts';
import { endAllSessions } from '../session.repository.ts';
import { insertPerson } from '../sign-up/sign-up.repository.ts';
import {
  listOperators,
  lockByEmail,
  removePassword,
  setOperator,
  type Operator,
} from './operator.repository.ts';

const ENROLMENT_HOURS = 24;

/** A link for choosing a password is mailed, or handed over: then it has an id here. */
type LinkId = { linkId: string | null };

export type Appointment = Operator &
  LinkId & {
    outcome: 'created' | 'promoted' | 'unchanged';
    /** The person has neither password nor passkey: only a link leads in. */
    needsLink: boolean;
  };

/** Makes an operator of the person with the address, or creates the person. */
export async function appointOperator(
  em: EntityManager,
  input: { email: string; handle: string; displayName: string; isLinkMailed: boolean },
): Promise<Appointment | Refusal<'handle_taken' | 'unproven_address' | 'unproven_credentials'>> {
  return inTransaction(em, async (em) => {
    // The refusals are about a person who was there before.
    const made = await insertPerson(em, { ...input, passwordHash: null, signUpCookie: null });
    const person = await lockByEmail(em, input.email);
    if (!person) return refuse('handle_taken');
    const { isOperator, isProven, hasUnproven, ...operator } = person;
    const { needsLink, personId } = operator;
    if (!isOperator) {
      // Anybody can sign up with another person's address, and must not become an operator by it.
      if (!isProven && !needsLink) return refuse('unproven_address');
      if (hasUnproven) return refuse('unproven_credentials');
      await setOperator(em, { personId, isOperator: true });
      await endAllSessions(em, personId);
      await openEnrolment(em, { personId, hours: ENROLMENT_HOURS });
    }
    const outcome = isOperator ? 'unchanged' : made === null ? 'promoted' : 'created';
    if (outcome !== 'unchanged') await audit(em, `operator.${outcome}`, operator);
    const linkId = needsLink ? await makeLink(em, operator, input) : null;
    return { ...operator, outcome, linkId };
  });
}

/** Ends the rights of an operator, and the sessions with them. */
export async function dismissOperator(
  em: EntityManager,
  email: string,
): Promise<(Operator & { wasOperator: boolean; isLast: boolean }) | Refusal<'unknown'>> {
  return inTransaction(em, async (em) => {
    const person = await lockByEmail(em, email);
    if (!person) return refuse('unknown');
    const { personId, handle, email: address, isOperator: wasOperator } = person;
    const operator = { personId, handle, email: address };
    if (wasOperator) {
      await setOperator(em, { personId, isOperator: false });
      await endAllSessions(em, personId);
      await audit(em, 'operator.removed', operator);
    }
    return { ...operator, wasOperator, isLast: (await listOperators(em)).length === 0 };
  });
}

/**
 * Removes all credentials of an operator who lost every passkey: only a link leads in, because the
 * holder of the passkeys or the password may be another person. Every operator is mailed, the
 * recovered one included.
 */
export async function recoverOperator(
  em: EntityManager,
  input: { email: string; isLinkMailed: boolean },
): Promise<(Operator & LinkId) | Refusal<'unknown' | 'not_operator'>> {
  return inTransaction(em, async (em) => {
    const person = await lockByEmail(em, input.email);
    if (!person) return refuse('unknown');
    if (!person.isOperator) return refuse('not_operator');
    const { personId, handle, email } = person;
    const operator = { personId, handle, email };
    await removePasskeys(em, { personId, onlyUnproven: false });
    await removePassword(em, personId);
    await endAllSessions(em, personId);
    await openEnrolment(em, { personId, hours: ENROLMENT_HOURS });
    await audit(em, 'operator.recovered', operator);
    for (const { personId, email: address } of await listOperators(em)) {
      await queueMail(em, { purpose: 'operator_recovered', personId, address });
    }
    return { ...operator, linkId: await makeLink(em, operator, input) };
  });
}

/** Only the newest link works. */
async function makeLink(
  em: EntityManager,
  { personId, email: address }: Operator,
  { isLinkMailed }: { isLinkMailed: boolean },
): Promise<string | null> {
  const mail = { purpose: 'reset_password', personId, address } as const;
  await revokeMailLinks(em, mail);
  if (!isLinkMailed) return insertMail(em, mail);
  await queueMail(em, mail);
  return null;
}

async function audit(
  em: EntityManager,
  action: AuditAction & `operator.${string}`,
  { personId }: Operator,
): Promise<void> {
  await recordAudit(em, { by: { personId: null, ip: null }, action, subject: personId });
}
