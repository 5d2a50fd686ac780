// Lets an operator add the first passkey for a while after the command line allowed it.
import type { ExpressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';

/** True when an operator with a password session may add a passkey. */
export async function isEnrolmentOpen(em: EntityManager, personId: string): Promise<boolean> {
  const open = await kysely(em)
    .selectFrom('person')
    .select('person.id')
    .where('person.id', '=', personId)
    .where(isOpen)
    .executeTakeFirst();
  return open !== undefined;
}

/** Of two requests at once, one gets it. */
export async function takeEnrolment(em: EntityManager, personId: string): Promise<boolean> {
  const taken = await kysely(em)
    .updateTable('person')
    .set({ passkeyEnrolmentUntil: null })
    .where('person.id', '=', personId)
    .where(isOpen)
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
}

function isOpen({ and, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'person'>) {
  const passkeys = selectFrom('passkey')
    .select('passkey.id')
    .whereRef('passkey.personId', '=', 'person.id');
  return and([eb('person.passkeyEnrolmentUntil', '>', NOW), not(exists(passkeys))]);
}

export async function openEnrolment(
  em: EntityManager,
  { personId, hours }: { personId: string; hours: number },
): Promise<void> {
  await kysely(em)
    .updateTable('person')
    .set({ passkeyEnrolmentUntil: fromNow(`${hours} hours`) })
    .where('id', '=', personId)
    .execute();
}
