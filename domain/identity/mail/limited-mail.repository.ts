// Mails that anybody can make us send, and how many of them an address gets.
import { isWithinLimit } from '../../limits/consume.repository.ts';
import { Throttle, type ThrottledWork } from '../../limits/throttle.repository.ts';
import { queueDeadMail, queueMail } from './mail.repository.ts';
import type { PersonalPurpose } from './mail-purpose.ts';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** Each purpose has a budget of its own: what strangers use up of one leaves the others whole. */
const BUDGETS = {
  reset_password: { most: 5, minutes: HOUR_MINUTES },
  verify_email: { most: 5, minutes: HOUR_MINUTES },
  change_email: { most: 5, minutes: HOUR_MINUTES },
  email_change_asked: { most: 5, minutes: HOUR_MINUTES },
  new_sign_in: { most: 5, minutes: HOUR_MINUTES },
  known_address: { most: 1, minutes: DAY_MINUTES },
} as const satisfies Partial<Record<PersonalPurpose, { most: number; minutes: number }>>;

const SENDER = { name: 'mail-sender', most: 10, minutes: HOUR_MINUTES };

export type LimitedMail = {
  purpose: keyof typeof BUDGETS;
  /** Null where the address has no account: there is no mail then. */
  personId: string | null;
  address: string;
  /** The person who makes us write to an address that may not be theirs. */
  senderId?: string;
  device?: string;
};

/**
 * False when the budget is used up. Whether or not there is an account or anything left of the
 * budget, the statements are the same, so that neither rows nor time tell.
 */
export async function queueLimitedMail(
  { em, pool }: ThrottledWork,
  mail: LimitedMail,
): Promise<boolean> {
  const { purpose, personId, address, senderId, device } = mail;
  const toAddress = new Throttle(pool, { name: `mail-${purpose}`, ...BUDGETS[purpose] });
  const bySender = new Throttle(pool, SENDER);
  const isWithin = await isWithinLimit(toAddress, address);
  const isAllowed = senderId === undefined || (await isWithinLimit(bySender, senderId));
  if (isWithin && isAllowed && personId !== null) {
    await queueMail(em, { purpose, personId, address, ...(device ? { device } : {}) });
  } else await queueDeadMail(em, purpose);
  return isWithin && isAllowed;
}
