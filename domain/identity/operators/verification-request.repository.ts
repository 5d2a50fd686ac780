import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { VerificationAnswers } from './verification-answers.ts';
import { VerificationRequest } from './verification-request.entity.ts';

/** The answers of a new request replace those of an earlier one. */
export async function saveAnswers(
  em: EntityManager,
  { personId, answers }: { personId: string; answers: VerificationAnswers },
): Promise<void> {
  await kysely(em)
    .insertInto('verificationRequest')
    .values({ personId, ...answers })
    .onConflict((conflict) => conflict.column('personId').doUpdateSet(answers))
    .execute();
}

export async function findAnswers(em: EntityManager, personId: string) {
  return em.findOne(VerificationRequest, personId);
}
