// Browsers that have signed in to an account before, by a cookie that we sign. A known browser has a
// counter of its own for wrong passwords, which nobody else can use up.
import { findAccount, type Account } from '../../domain/identity/account.repository.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import type { RouteContext } from '../http/route.ts';
import { deviceCookie, type Cookie } from '../http/cookies.ts';

export type DeviceOwner = Pick<Account, 'personId' | 'passwordHash'>;
type SignInCall = Pick<RouteContext, 'services' | 'cookies'>;

/** The cookie holds an entry for each account of a shared browser, the latest first. */
const MOST_ACCOUNTS = 4;
const SEPARATOR = '~';

/**
 * Finds the browser's id for this account. A browser that never signed in to it has none, nor one that
 * did so before the password was changed: a change of password forgets all other browsers.
 */
export function findDevice({ services, cookies }: SignInCall, owner: DeviceOwner): string | null {
  for (const entry of readEntries(cookies.device)) {
    const [personId, deviceId = '', signature = ''] = entry.split('.');
    if (personId !== owner.personId) continue;
    if (services.signer.isSigned('device', signedText(owner, deviceId), signature)) return deviceId;
  }
  return null;
}

/** Sets the cookie of a browser whose person has just authenticated. */
export function rememberDevice(context: SignInCall, owner: DeviceOwner): Cookie {
  const { services, cookies } = context;
  const deviceId = findDevice(context, owner) ?? newUuid();
  const signature = services.signer.sign('device', signedText(owner, deviceId));
  const others = readEntries(cookies.device).filter((entry) => !entry.startsWith(owner.personId));
  const entries = [`${owner.personId}.${deviceId}.${signature}`, ...others];
  const value = entries.slice(0, MOST_ACCOUNTS).join(SEPARATOR);
  return deviceCookie(value);
}

/** Sets the cookie for an account of which only the id is at hand. */
export async function rememberOwner(context: SignInCall, personId: string): Promise<Cookie> {
  return rememberDevice(context, (await findAccount(context.services.database.em(), personId))!);
}

function readEntries(cookie: string | null): string[] {
  return cookie === null ? [] : cookie.split(SEPARATOR).slice(0, MOST_ACCOUNTS);
}

function signedText({ personId, passwordHash }: DeviceOwner, deviceId: string): string {
  return `${personId} ${deviceId} ${passwordHash ?? ''}`;
}
