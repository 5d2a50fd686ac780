import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { normaliseText } from '../shared/normalise.ts';
import { createQueue, type Caller } from '../../platform/fair-queue.ts';
import { LONGEST_PASSWORD } from './new-password.ts';

const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

const MAX_HASHES = availableParallelism();
/** Some seconds of work for each core; a longer queue makes everybody give up. */
const WAITING_PER_CORE = 32;

// Verified when no person is found, so that an unknown address costs the same time. Of no password.
const DECOY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$lady2a1I94QWYXNKVWMV8w$Ti1bjS7ROxIJvjzwFPr3LqKWhFjNO2v7hlsJxCadS0A`;

const inTurn = createQueue({ atOnce: MAX_HASHES, waiting: MAX_HASHES * WAITING_PER_CORE });

/** A flood of sign-ups takes this share of the cores and never the place of a sign-in. */
const MAX_SIGN_UP_HASHES = Math.max(1, Math.floor(MAX_HASHES / 4));
const signUpsInTurn = createQueue({
  atOnce: MAX_SIGN_UP_HASHES,
  waiting: MAX_SIGN_UP_HASHES * WAITING_PER_CORE,
});

/** Hashes a new password. The person has shown who it is, and takes the turns of the account. */
export async function hashPassword(password: string, personId?: string): Promise<string> {
  return inTurn(() => hash(normalise(password), COST), { ...toCaller(personId), isKnown: true });
}

/** Hashes the password of a sign-up. Callers take turns, each by its network. */
export async function hashFirstPassword(password: string, caller?: string): Promise<string> {
  return signUpsInTurn(() => hash(normalise(password), COST), toCaller(caller));
}

/** Compares a password. A browser that has signed in before goes first, in the turn of its account. */
export async function isPasswordRight(
  passwordHash: string | null,
  password: string,
  caller: Caller = {},
): Promise<boolean> {
  const isRight = await inTurn(() => verify(passwordHash ?? DECOY, normalise(password)), caller);
  return isRight && passwordHash !== null;
}

function toCaller(caller: string | undefined): Caller {
  return caller === undefined ? {} : { caller };
}

/** Makes every keyboard give the same characters. A far too long or empty password matches nothing. */
function normalise(password: string): string {
  return normaliseText(password, { form: 'NFKC', longest: LONGEST_PASSWORD }) ?? '';
}
