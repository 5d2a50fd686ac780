import type { EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { findOperators } from '../../notifications/recipients.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { queueMail } from '../mail/mail.repository.ts';
import { markRequested } from './builder.repository.ts';
import type { VerificationAnswers } from './verification-answers.ts';
import { saveAnswers } from './verification-request.repository.ts';

type Input = { answers: VerificationAnswers; by: Actor & { personId: string } };

/** Makes one of several requests at once, and mails it to every operator. */
export async function requestVerification(
  em: EntityManager,
  { answers, by }: Input,
): Promise<{ requested: true } | Refusal<'nothing_to_request'>> {
  const { personId } = by;
  if (!(await markRequested(em, personId))) return refuse('nothing_to_request');
  await saveAnswers(em, { personId, answers });
  await recordAudit(em, { by, action: 'builder.requested', subject: personId });
  for (const operator of await findOperators(em)) {
    await queueMail(em, { purpose: 'verification_requested', ...operator });
  }
  return { requested: true };
}
