// How often a password may be wrong, and which limits a wrong one counts against.
import type pg from 'pg';
import { isPasswordRight } from '../../domain/identity/password.ts';
import { consume, secondsLeft, Throttle } from '../../domain/limits/throttle.repository.ts';
import { type Caller, QueueFull } from '../../platform/fair-queue.ts';
import { DEFAULT_LIMITS } from '../http/limits.ts';
import { tooMany } from '../http/rate-limit.ts';
import {
  callerAddress,
  callerNetworks,
  decideTurn,
  WIDER_NETWORKS,
} from '../http/caller-address.ts';
import type { RouteContext } from '../http/route.ts';
import { findDevice, type DeviceOwner } from './known-device.ts';
import { writePlural } from '../html/numbers.ts';

const MINUTES = 15;
const ACCOUNT = 'sign-in-account';

/**
 * A right password clears the limit of the account. From a limit that callers share it removes its
 * own attempt only.
 */
type AttemptLimit = { throttle: Throttle; key: string; isShared: boolean };

/**
 * Counts a sign-in attempt. A known browser has its own counter, so strangers cannot lock it out.
 * Other attempts count for the address and the account.
 */
export function isSignInRight(
  context: RouteContext,
  { account, email, password }: { account: DeviceOwner | null; email: string; password: string },
): Promise<boolean> {
  const { device_failures, account_failures } = context.services.limits;
  const passwordHash = account?.passwordHash ?? null;
  const device = account && findDevice(context, account);
  const key = account?.personId ?? email;
  const limits = device
    ? [makeLimit(context, { name: 'sign-in-device', key: device, most: device_failures })]
    : [
        ...addressLimits(context),
        makeLimit(context, { name: ACCOUNT, key, most: account_failures }),
      ];
  const turn = decideTurn({ ip: context.ctx.ip, knownAs: device && account!.personId });
  return isAttemptRight(context, { limits, passwordHash, password, turn });
}

/**
 * An attempt of somebody who is signed in already. It counts for the session alone, so that nobody
 * else can keep the owner from changing the password.
 */
export function isProofRight(
  context: RouteContext,
  {
    personId,
    passwordHash,
    password,
  }: { personId: string; passwordHash: string | null; password: string },
): Promise<boolean> {
  const most = context.services.limits.account_failures;
  const key = context.cookies.session ?? '';
  const limits = [makeLimit(context, { name: 'session-proof', key, most })];
  const turn = decideTurn({ ip: context.ctx.ip, knownAs: personId });
  return isAttemptRight(context, { limits, passwordHash, password, turn });
}

/** Clears the limits of a person who has proved to own the mailbox. */
export async function forgetFailures(pool: pg.Pool, personId: string): Promise<void> {
  const most = DEFAULT_LIMITS.account_failures;
  await new Throttle(pool, { name: ACCOUNT, most, minutes: MINUTES }).delete(personId);
}

function addressLimits(context: RouteContext): AttemptLimit[] {
  const most = context.services.limits.address_failures;
  const key = callerAddress(context.ctx.ip);
  const own = makeLimit(context, { name: 'sign-in-address', key, most, isShared: true });
  const networks = callerNetworks(context.ctx.ip).map((network, index) => {
    const wide = { name: 'sign-in-network', key: network, isShared: true };
    return makeLimit(context, { ...wide, most: most * WIDER_NETWORKS[index]!.times });
  });
  return [own, ...networks];
}

function makeLimit(
  { services }: RouteContext,
  {
    name,
    key,
    most,
    isShared = false,
  }: { name: string; key: string; most: number; isShared?: boolean },
): AttemptLimit {
  const throttle = new Throttle(services.database.pool, { name, most, minutes: MINUTES });
  return { throttle, key, isShared };
}

type Attempt = {
  limits: AttemptLimit[];
  passwordHash: string | null;
  password: string;
  turn: Caller;
};

/**
 * Counts the attempt before it compares the password, so concurrent attempts cannot exceed the
 * limit. An unknown address costs the same.
 */
async function isAttemptRight(context: RouteContext, attempt: Attempt): Promise<boolean> {
  const { limits, passwordHash, password, turn } = attempt;
  for (const limit of limits) await countAttempt(limit);
  try {
    const isRight = await isPasswordRight(passwordHash, password, turn);
    if (isRight) await forgive(limits);
    return isRight;
  } catch (error) {
    if (error instanceof QueueFull) {
      for (const { throttle, key } of limits) await throttle.takeBack(key);
    }
    throw error;
  }
}

async function forgive(limits: AttemptLimit[]): Promise<void> {
  for (const { throttle, key, isShared } of limits) {
    if (isShared) await throttle.takeBack(key);
    else await throttle.delete(key);
  }
}

async function countAttempt({ throttle, key }: AttemptLimit): Promise<void> {
  const counted = await consume(throttle, key);
  if (counted.consumedPoints <= throttle.points) return;
  const retryAfterS = secondsLeft(counted);
  const minutes = Math.ceil(retryAfterS / 60);
  const message = `Too many attempts. Try again in ${writePlural(minutes, 'minute')}.`;
  throw tooMany(retryAfterS, message);
}
