import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

const AT_ONCE = availableParallelism();
/** Some seconds of work for each core; a longer queue would only make everybody give up. */
const WAITING_PER_CORE = 32;

/** More sign-ins than the machine can compute: the caller has to come back. */
export class PasswordQueueFull extends Error {
  override name = 'PasswordQueueFull';
}

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

/** The same characters, however the keyboard composed them. */
function normalise(password: string): string {
  return password.normalize('NFKC');
}

/** Runs so many at once, lets so many wait, and refuses the rest at once. */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new PasswordQueueFull('too many passwords to check');
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
