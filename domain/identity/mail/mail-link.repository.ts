import { isWithinLimit } from '../../limits/consume.repository.ts';
import { Throttle, type ThrottledWork } from '../../limits/throttle.repository.ts';
import { findAccountByEmail } from '../account.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, lower, lowerOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { findSignUp } from '../sign-up/sign-up.repository.ts';
import { queueDeadMail, queueMail } from './mail.repository.ts';
import type { LinkPurpose, MailPurpose, PersonalPurpose } from './mail-purpose.ts';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** Each purpose has its own budget, so strangers who use up one leave the others whole. */
const BUDGETS = {
  reset_password: { most: 5, minutes: HOUR_MINUTES },
  verify_email: { most: 5, minutes: HOUR_MINUTES },
  change_email: { most: 5, minutes: HOUR_MINUTES },
  email_change_asked: { most: 5, minutes: HOUR_MINUTES },
  new_sign_in: { most: 5, minutes: HOUR_MINUTES },
  known_address: { most: 1, minutes: DAY_MINUTES },
} as const satisfies Partial<Record<PersonalPurpose, { most: number; minutes: number }>>;

/**
 * A browser that signs up has a budget of its own for each address, so strangers who sign the address
 * up do not use up what its owner asks for. All browsers together get so many mails to one address.
 */
const BROWSER = { name: 'mail-browser', most: 5, minutes: HOUR_MINUTES };
const SIGN_UPS = { name: 'mail-sign-up', most: 20, minutes: HOUR_MINUTES };

const SENDER = { name: 'mail-sender', most: 10, minutes: HOUR_MINUTES };

export type LimitedMail = {
  purpose: keyof typeof BUDGETS;
  /** Is null when the address has no account: no mail is sent. */
  personId: string | null;
  address: string;
  /** The person who causes a mail to an address that may belong to another person. */
  senderId?: string;
  device?: string;
  /** The cookie of the browser that signs up. */
  signUpCookie?: string | null;
};

/**
 * False when the budget is used up. The statements are the same with and without an account, and
 * with and without a budget, so neither rows nor time tell.
 */
export async function queueLimitedMail(
  { em, pool }: ThrottledWork,
  mail: LimitedMail,
): Promise<boolean> {
  const { purpose, personId, address, senderId, device, signUpCookie: browser } = mail;
  const isOfBrowser = browser !== undefined && browser !== null;
  const budget =
    isOfBrowser && purpose === 'verify_email'
      ? SIGN_UPS
      : { name: `mail-${purpose}`, ...BUDGETS[purpose] };
  // A mail that its browser may not ask for takes nothing of the others.
  const isOwn =
    !isOfBrowser || (await isWithinLimit(new Throttle(pool, BROWSER), `${browser} ${address}`));
  const isWithin = isOwn && (await isWithinLimit(new Throttle(pool, budget), address));
  const bySender = new Throttle(pool, SENDER);
  const isAllowed = senderId === undefined || (await isWithinLimit(bySender, senderId));
  if (isWithin && isAllowed && personId !== null) {
    await queueMail(em, { purpose, personId, address, ...(device ? { device } : {}) });
  } else await queueDeadMail(em, purpose);
  return isWithin && isAllowed;
}

/** Mails the address of the account, as it is written there, or of a sign-up that waits. */
export async function requestPasswordReset(
  work: ThrottledWork,
  { address, signUpCookie }: { address: string; signUpCookie: string | null },
): Promise<void> {
  const account = await findAccountByEmail(work.em, address);
  const signUp = await findSignUp(work.em, { address, signUpCookie });
  const { personId, email } = account ?? signUp ?? { personId: null, email: address };
  await queueLimitedMail(work, { purpose: 'reset_password', personId, address: email });
}

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
