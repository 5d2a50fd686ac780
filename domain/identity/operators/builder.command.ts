// The verification of a builder: requested in the console, decided by an operator.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { findOperators } from '../../notifications/recipients.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { queueMail } from '../mail/mail.repository.ts';
import { decideBuilder, markRequested, type BuilderDecision } from './builder.repository.ts';
import type { VerificationAnswers } from './verification-answers.ts';
import { saveAnswers } from './verification-request.repository.ts';

/** Requests a verification: of several requests at once one is made, and mailed to every operator. */
export async function requestVerification(
  em: EntityManager,
  { answers, by }: { answers: VerificationAnswers; by: Actor & { personId: string } },
): Promise<{ requested: true } | Refusal<'nothing_to_request'>> {
  return inTransaction(em, async (em) => {
    const { personId } = by;
    if (!(await markRequested(em, personId))) return refuse('nothing_to_request');
    await saveAnswers(em, { personId, answers });
    await recordAudit(em, { by, action: 'builder.requested', subject: personId });
    for (const operator of await findOperators(em)) {
      await queueMail(em, { purpose: 'verification_requested', ...operator });
    }
    return { requested: true };
  });
}

/** The outcome of each decision, as the audit trail and the mails name it. */
const OUTCOMES = {
  verify: 'verified',
  decline: 'declined',
  withdraw: 'withdrawn',
} as const satisfies Record<BuilderDecision, string>;

type Outcome = (typeof OUTCOMES)[BuilderDecision];

/** Decides on a builder, and mails the builder. Refused when another decision came first. */
export async function decideOnBuilder(
  em: EntityManager,
  input: { personId: string; decision: BuilderDecision; reason: string; by: Actor },
): Promise<{ outcome: Outcome } | Refusal<'unchanged'>> {
  return inTransaction(em, async (em) => {
    const { personId, decision, reason, by } = input;
    const builder = await decideBuilder(em, input);
    if (!builder) return refuse('unchanged');
    const outcome = OUTCOMES[decision];
    await queueMail(em, { purpose: `builder_${outcome}`, personId, ...builder });
    const detail = decision === 'decline' ? { reason } : {};
    await recordAudit(em, { by, action: `builder.${outcome}`, subject: personId, detail });
    return { outcome };
  });
}
