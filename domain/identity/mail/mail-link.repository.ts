import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, lower, lowerOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { LinkPurpose, MailPurpose } from './mail-purpose.ts';

export type MailLink = {
  purpose: LinkPurpose;
  personId: string;
  address: string;
  handle: string;
  /** The person is a sign-up that waits for this mail. */
  isSignUp: boolean;
};

/** The effect of a link, for the page that asks before it acts. */
export async function findMailLink(
  em: EntityManager,
  { id, purposes }: { id: string; purposes: readonly LinkPurpose[] },
): Promise<MailLink | null> {
  const link = await kysely(em)
    .selectFrom('mailToken as mail')
    .innerJoin('person', 'person.id', 'mail.personId')
    .select(['mail.purpose', 'person.id as personId', 'mail.address', 'person.handle'])
    .select(({ eb }) =>
      eb('person.signUpBrowser', 'is not', null).$castTo<boolean>().as('isSignUp'),
    )
    .where('person.deletedAt', 'is', null)
    .where('mail.id', '=', id)
    .where('mail.purpose', '=', anyOf<MailPurpose>(purposes))
    .where('mail.usedAt', 'is', null)
    .where('mail.expiresAt', '>', NOW)
    .executeTakeFirst();
  return (link as MailLink | undefined) ?? null;
}

type UsedLink = Pick<MailLink, 'purpose' | 'personId' | 'address'>;

/** Uses the link up: of two requests at once, one gets it. */
export async function consumeMailLink(
  em: EntityManager,
  { id, purposes }: { id: string; purposes: readonly LinkPurpose[] },
): Promise<UsedLink | null> {
  const link = await useUp(em)
    .where('id', '=', id)
    .where('purpose', '=', anyOf<MailPurpose>(purposes))
    .where('expiresAt', '>', NOW)
    .returning(['purpose', 'personId', 'address'])
    .executeTakeFirst();
  return (link as UsedLink | undefined) ?? null;
}

const useUp = (em: EntityManager) =>
  kysely(em).updateTable('mailToken').set({ usedAt: NOW }).where('mailToken.usedAt', 'is', null);

/** Ends links that a change has overtaken. */
export async function revokeMailLinks(
  em: EntityManager,
  { personId, purpose }: { personId: string; purpose: LinkPurpose },
): Promise<void> {
  await useUp(em).where('personId', '=', personId).where('purpose', '=', purpose).execute();
}

/** Ends every pending change of address. The caller holds the person's row. */
export async function endAddressChanges(em: EntityManager, personId: string): Promise<void> {
  await useUp(em)
    .from('person')
    .where('person.id', '=', personId)
    .whereRef('mailToken.personId', '=', 'person.id')
    .where('mailToken.expiresAt', '>', NOW)
    .where(({ or, and, eb }) =>
      or([
        eb('mailToken.purpose', '=', 'change_email'),
        and([
          eb('mailToken.purpose', '=', 'verify_email'),
          eb(lower('mailToken.address'), '<>', lower('person.email')),
        ]),
      ]),
    )
    .execute();
}

/**
 * True when the account is still at the address of the mail. The pending change is not read: it
 * does not exist when the new address belongs to another person, and the requester must not learn
 * that.
 */
export async function isStillAt(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<boolean> {
  const person = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where(lower('email'), '=', lowerOf(address))
    .executeTakeFirst();
  return person !== undefined;
}
