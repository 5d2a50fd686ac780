// Mails that anybody can cause, with a budget for each address.
import { isWithinLimit } from '../../limits/consume.repository.ts';
import { Throttle, type ThrottledWork } from '../../limits/throttle.repository.ts';
import { findAccountByEmail } from '../account.repository.ts';
import { queueDeadMail, queueMail } from './mail.repository.ts';
import type { PersonalPurpose } from './mail-purpose.ts';

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

const SENDER = { name: 'mail-sender', most: 10, minutes: HOUR_MINUTES };

export type LimitedMail = {
  purpose: keyof typeof BUDGETS;
  /** Null when the address has no account: no mail is sent. */
  personId: string | null;
  address: string;
  /** The person who causes a mail to an address that may belong to another person. */
  senderId?: string;
  device?: string;
};

/**
 * False when the budget is used up. The statements are the same with and without an account, and
 * with and without a budget, so neither rows nor time tell.
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

/** To the address of the account, as it is written there. */
export async function requestPasswordReset(work: ThrottledWork, address: string): Promise<void> {
  const account = await findAccountByEmail(work.em, address);
  const { personId, email } = account ?? { personId: null, email: address };
  await queueLimitedMail(work, { purpose: 'reset_password', personId, address: email });
}
