// Mails that anybody may cause: each address, browser and sender gets a few.
import type pg from 'pg';
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { isWithinLimit } from '../../limits/throttle.repository.ts';
import { Throttle } from '../../limits/throttle.repository.ts';
import { findAccountByEmail } from '../account.repository.ts';
import { findSignUp } from '../sign-up/sign-up.repository.ts';
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
  /** The cookie of the browser that signs up; null for a mail of any other cause. */
  signUpCookie: string | null;
};

/**
 * Queues a mail within its budgets. The throttles count in transactions of their own, so a refusal of
 * the caller's keeps them. The statements are the same with and without an account, and with and
 * without a budget, so neither rows nor time tell. Returns false when a budget is used up.
 */
export async function queueLimitedMail(
  em: EntityManager,
  { pool, ...mail }: LimitedMail & { pool: pg.Pool },
): Promise<boolean> {
  return inTransaction(em, async (em) => {
    const { purpose, personId, address, senderId, device, signUpCookie } = mail;
    const budget =
      signUpCookie !== null && purpose === 'verify_email'
        ? SIGN_UPS
        : { name: `mail-${purpose}`, ...BUDGETS[purpose] };
    // A mail that its browser may not ask for takes nothing of the others.
    const isOwn =
      signUpCookie === null ||
      (await isWithinLimit(new Throttle(pool, BROWSER), `${signUpCookie} ${address}`));
    const isWithin = isOwn && (await isWithinLimit(new Throttle(pool, budget), address));
    const bySender = new Throttle(pool, SENDER);
    const isAllowed = senderId === undefined || (await isWithinLimit(bySender, senderId));
    if (isWithin && isAllowed && personId !== null) {
      await queueMail(em, { purpose, personId, address, ...(device ? { device } : {}) });
    } else await queueDeadMail(em, purpose);
    return isWithin && isAllowed;
  });
}

type Request = { address: string; signUpCookie: string | null; pool: pg.Pool };

/** Mails the address of the account, as it is written there, or of a sign-up that waits. */
export async function requestPasswordReset(em: EntityManager, request: Request): Promise<void> {
  return inTransaction(em, async (em) => {
    const { address, pool } = request;
    const account = await findAccountByEmail(em, address);
    const signUp = await findSignUp(em, request);
    const { personId, email } = account ?? signUp ?? { personId: null, email: address };
    const mail = { purpose: 'reset_password', personId, address: email } as const;
    await queueLimitedMail(em, { ...mail, signUpCookie: null, pool });
  });
}

/** Sends the mail of a sign-up again, the one that the sign-up caused. */
export async function sendSignUpMail(em: EntityManager, request: Request): Promise<void> {
  return inTransaction(em, async (em) => {
    const { address, signUpCookie, pool } = request;
    // The statements are the same for every address.
    const account = await findAccountByEmail(em, address);
    const signUp = await findSignUp(em, request);
    const { personId, email } = account ?? signUp ?? { personId: null, email: address };
    const purpose = account ? 'known_address' : 'verify_email';
    await queueLimitedMail(em, { purpose, personId, address: email, signUpCookie, pool });
  });
}
