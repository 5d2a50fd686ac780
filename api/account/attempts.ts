// How often a password may be wrong, and whose counters a wrong one adds to.
import type { Account } from '../../domain/identity/account.repository.ts';
import { isPasswordRight } from '../../domain/identity/password.ts';
import {
  clearThrottle,
  countThrottled,
  lowerThrottle,
  throttleKey,
} from '../../domain/limits/throttle.repository.ts';
import { QueueFull } from '../../platform/queue.ts';
import { Failure } from '../errors.ts';
import { NETWORK_SHARE } from '../limits.ts';
import { callerAddress, callerNetwork, callerTurn } from '../middleware/caller-address.ts';
import type { AnyCall } from '../route.ts';
import { findDevice } from './known-device.ts';

const MINUTES = 15;

/** A success clears a counter of one account, and takes its own attempt back from a shared one. */
type Counter = { key: string; most: number; isShared?: boolean };

type Owner = Pick<Account, 'personId' | 'passwordHash'>;

/**
 * An attempt at the sign-in. From a browser that has signed in to the account before, it counts for
 * that browser alone: whatever strangers try, it does not shut the browser out. The others count for
 * their address and for the account, by its id, or for what was typed where there is no account.
 */
export function isSignInRight(
  call: AnyCall,
  { account, email, password }: { account: Owner | null; email: string; password: string },
): Promise<boolean> {
  const passwordHash = account?.passwordHash ?? null;
  const device = account && findDevice(call, account);
  const counters = device
    ? [{ key: throttleKey('sign-in-device', device), most: call.services.limits.device_failures }]
    : [...addressCounters(call), accountCounter(call, account?.personId ?? email)];
  return isAttemptRight(call, { counters, passwordHash, password });
}

/**
 * An attempt of somebody who is signed in already. It counts for the session alone, so that nobody
 * else can keep the owner from changing the password.
 */
export function isProofRight(
  call: AnyCall,
  { passwordHash, password }: { passwordHash: string | null; password: string },
): Promise<boolean> {
  const key = throttleKey('session-proof', call.cookies.session ?? '');
  const counters = [{ key, most: call.services.limits.account_failures }];
  return isAttemptRight(call, { counters, passwordHash, password });
}

/** Whoever has proved to own the mailbox begins anew. */
export function accountKey(personIdOrTyped: string): string {
  return throttleKey('sign-in-account', personIdOrTyped);
}

function accountCounter({ services }: AnyCall, who: string): Counter {
  return { key: accountKey(who), most: services.limits.account_failures };
}

function addressCounters({ ctx, services }: AnyCall): Counter[] {
  const most = services.limits.address_failures;
  const key = throttleKey('sign-in-address', callerAddress(ctx.ip));
  const network = callerNetwork(ctx.ip);
  const own = { key, most, isShared: true };
  if (network === null) return [own];
  const wide = { key: throttleKey('sign-in-network', network), isShared: true };
  return [own, { ...wide, most: most * NETWORK_SHARE }];
}

type Attempt = { counters: Counter[]; passwordHash: string | null; password: string };

/**
 * Counted before the password is looked at, so that many at once are no way around, and taken back
 * when it was right. An address without an account counts and costs the same.
 */
async function isAttemptRight(call: AnyCall, attempt: Attempt): Promise<boolean> {
  const { counters, passwordHash, password } = attempt;
  const em = call.services.database.em();
  for (const counter of counters) await count(call, counter);
  const shared = counters.filter(({ isShared }) => isShared).map(({ key }) => key);
  try {
    const isRight = await isPasswordRight(passwordHash, password, callerTurn(call.ctx.ip));
    if (isRight) {
      for (const { key, isShared } of counters) if (!isShared) await clearThrottle(em, key);
      await lowerThrottle(em, shared);
    }
    return isRight;
  } catch (fault) {
    if (fault instanceof QueueFull) {
      await lowerThrottle(
        em,
        counters.map(({ key }) => key),
      );
    }
    throw fault;
  }
}

async function count({ services }: AnyCall, { key, most }: Counter): Promise<void> {
  const { n, retryAfterS } = await countThrottled(services.database.em(), {
    key,
    minutes: MINUTES,
  });
  if (n <= most) return;
  const headers = { 'retry-after': String(retryAfterS) };
  const minutes = Math.ceil(retryAfterS / 60);
  const message = `Too many attempts. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`;
  throw new Failure('rate_limited', { message, headers });
}
