// Lets an operator add the first passkey for a while after the command line allowed it.
import { rows, type EntityManager } from '../../../platform/database/database.ts';

const OPEN = `passkey_enrolment_until > gatehouse_now()
  and not exists (select 1 from passkey k where k.person_id = person.id)`;

/** True when an operator with a password session may add a passkey. */
export async function isEnrolmentOpen(em: EntityManager, personId: string): Promise<boolean> {
  return (await rows(em, `select 1 from person where id = ? and ${OPEN}`, [personId])).length > 0;
}

/** Of two requests at once, one gets it. */
export async function takeEnrolment(em: EntityManager, personId: string): Promise<boolean> {
  const taken = await rows(
    em,
    `update person set passkey_enrolment_until = null where id = ? and ${OPEN} returning id`,
    [personId],
  );
  return taken.length > 0;
}

export async function openEnrolment(
  em: EntityManager,
  { personId, hours }: { personId: string; hours: number },
): Promise<void> {
  await rows(
    em,
    `update person set passkey_enrolment_until = gatehouse_now() + ? * interval '1 hour'
     where id = ?`,
    [hours, personId],
  );
}
