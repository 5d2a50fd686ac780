import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { normaliseText } from '../platform/normalise.ts';
import { createQueue } from '../platform/queue.ts';
import { LONGEST_PASSWORD } from './new-password.ts';

const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

const AT_ONCE = availableParallelism();
/** Some seconds of work for each core; a longer queue would only make everybody give up. */
const WAITING_PER_CORE = 32;

// Verified where no person is found, so that an unknown address costs the same time.
const DECOY = hash('no such person', COST);

const inTurn = createQueue({ atOnce: AT_ONCE, waiting: AT_ONCE * WAITING_PER_CORE });

export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalise(password), COST));
}

export async function isPasswordRight(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const isRight = await inTurn(async () =>
    verify(passwordHash ?? (await DECOY), normalise(password)),
  );
  return isRight && passwordHash !== null;
}

/** The same characters, however the keyboard composed them. Nobody's password is far too long, or empty. */
function normalise(password: string): string {
  return normaliseText(password, { form: 'NFKC', longest: LONGEST_PASSWORD }) ?? '';
}
