import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { VerificationAnswers } from './verification-answers.ts';

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

export async function findAnswers(
  em: EntityManager,
  personId: string,
): Promise<VerificationAnswers | null> {
  const found = await kysely(em)
    .selectFrom('verificationRequest')
    .select(['sells', 'place', 'contact'])
    .where('personId', '=', personId)
    .executeTakeFirst();
  return found ?? null;
}
