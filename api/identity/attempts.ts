// How often a password may be tried: per account and per address, whoever asks and wherever.
import { isPasswordRight } from '../../domain/identity/password.ts';
import { QueueFull } from '../../domain/platform/queue.ts';
import {
  clearThrottle,
  countThrottled,
  lowerThrottle,
  throttleKey,
} from '../../domain/limits/throttle.store.ts';
import { Failure } from '../errors.ts';
import { callerAddress } from '../middleware/rate-limit.ts';
import type { AnyCall } from '../route.ts';

const MINUTES = 15;
const MESSAGE = 'There were too many attempts that failed. Please wait a while.';

type Attempt = { email: string; passwordHash: string | null; password: string };

/**
 * Counted before the password is looked at, so that many at once are no way around, and taken back
 * when it was right. An address without an account counts and costs the same.
 */
export async function isAttemptRight(call: AnyCall, attempt: Attempt): Promise<boolean> {
  const em = call.services.database.em();
  const address = throttleKey('sign-in-address', callerAddress(call.ctx.ip));
  const account = accountKey(attempt.email);
  const { limits } = call.services;
  await count(call, address, limits.address_failures);
  await count(call, account, limits.account_failures);
  try {
    const isRight = await isPasswordRight(attempt.passwordHash, attempt.password);
    if (isRight) {
      await clearThrottle(em, account);
      await lowerThrottle(em, [address]);
    }
    return isRight;
  } catch (fault) {
    if (fault instanceof QueueFull) await lowerThrottle(em, [address, account]);
    throw fault;
  }
}

/** Whoever has proved to own the mailbox begins anew. */
export function accountKey(email: string): string {
  return throttleKey('sign-in-account', email);
}

async function count({ services }: AnyCall, key: string, most: number): Promise<void> {
  const { n, retryAfterS } = await countThrottled(services.database.em(), {
    key,
    minutes: MINUTES,
  });
  if (n <= most) return;
  const headers = { 'retry-after': String(retryAfterS) };
  throw new Failure('rate_limited', { message: MESSAGE, headers });
}
