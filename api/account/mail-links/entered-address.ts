// The address that somebody has entered in this browser, by a cookie that we sign: the page after it
// shows it, sends the email again, and sign-in fills it in. It says nothing of accounts.
import { z } from 'zod';
import type { TokenSigner } from '../../../domain/shared/secrets.ts';
import type { Cookie } from '../../http/cookies.ts';

const MAX_AGE_S = 60 * 60;
const LONGEST_ADDRESS = 254;
const WAIT_MS = 60_000;

const entered = z.object({
  address: z.string().min(1).max(LONGEST_ADDRESS),
  /** The form that it was entered in; `confirmed` where a link has shown that it is right. */
  form: z.enum(['sign_up', 'forgot_password', 'confirmed']),
  sentAtMs: z.number(),
});

export type EnteredAddress = z.infer<typeof entered>;

export function enteredCookie(signer: TokenSigner, address: EnteredAddress): Cookie {
  const text = Buffer.from(JSON.stringify(address)).toString('base64url');
  const value = `${text}.${signer.sign('entered_address', text)}`;
  return { name: 'entered_address', value, maxAgeS: MAX_AGE_S };
}

/** Keeps the address of a mailbox whose owner has just followed a link. */
export function confirmedCookie({ signer }: { signer: TokenSigner }, address: string): Cookie {
  return enteredCookie(signer, { address, form: 'confirmed', sentAtMs: 0 });
}

/** Another person who signs in with this browser later is not shown it. */
export const NO_ENTERED_COOKIE: Cookie = { name: 'entered_address', value: '', maxAgeS: 0 };

export function readEntered(signer: TokenSigner, cookie: string | null): EnteredAddress | null {
  const [text = '', signature = ''] = cookie?.split('.') ?? [];
  if (text === '' || !signer.isSigned('entered_address', text, signature)) return null;
  return entered.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data ?? null;
}

/** The seconds until the email may be sent again; 0 when it may be. */
export function secondsUntilAgain({ sentAtMs }: EnteredAddress, now: Date): number {
  const left = Math.ceil((sentAtMs + WAIT_MS - now.getTime()) / 1_000);
  return Math.min(WAIT_MS / 1_000, Math.max(0, left));
}
