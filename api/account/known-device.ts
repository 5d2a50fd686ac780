// Browsers that have signed in to an account before, by a cookie that we sign. A known browser has a
// counter of its own for wrong passwords, which nobody else can use up.
import { findAccount, type Account } from '../../domain/identity/account.repository.ts';
import { describeDevice } from '../../domain/identity/device.ts';
import { queueLimitedMail } from '../../domain/identity/mail/mail-link.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import type { RouteContext } from '../http/route.ts';
import { deviceCookie, type Cookie } from '../http/cookies.ts';

type Owner = Pick<Account, 'personId' | 'passwordHash'>;
type SignInCall = Pick<RouteContext, 'ctx' | 'services' | 'cookies'>;

/** People may share a browser: the cookie holds an entry for each account, the latest first. */
const MOST_ACCOUNTS = 4;
const SEPARATOR = '~';

/**
 * The browser's id for this account. Null for a browser that never signed in to it, or that did so
 * before the password was changed: a change of password forgets all other browsers.
 */
export function findDevice({ services, cookies }: SignInCall, owner: Owner): string | null {
  for (const entry of entriesOf(cookies.device)) {
    const [personId, deviceId = '', signature = ''] = entry.split('.');
    if (personId !== owner.personId) continue;
    if (services.signer.isSigned('device', signedText(owner, deviceId), signature)) return deviceId;
  }
  return null;
}

/** Sets the cookie of a browser whose person has just authenticated. */
export function rememberDevice(context: SignInCall, owner: Owner): Cookie {
  const { services, cookies } = context;
  const deviceId = findDevice(context, owner) ?? newUuid();
  const signature = services.signer.sign('device', signedText(owner, deviceId));
  const others = entriesOf(cookies.device).filter((entry) => !entry.startsWith(owner.personId));
  const entries = [`${owner.personId}.${deviceId}.${signature}`, ...others];
  const value = entries.slice(0, MOST_ACCOUNTS).join(SEPARATOR);
  return deviceCookie(value);
}

/** Remembers an account of which only the id is at hand. */
export async function rememberOwner(context: SignInCall, personId: string): Promise<Cookie> {
  return rememberDevice(context, (await findAccount(context.services.database.em(), personId))!);
}

/** Remembers the browser, and mails the owner where the account does not know it. */
export async function recordDevice(
  context: SignInCall,
  { em, personId, isFirst }: { em: EntityManager; personId: string; isFirst: boolean },
): Promise<Cookie> {
  const account = (await findAccount(em, personId))!;
  const isNew = findDevice(context, account) === null;
  if (isNew && !isFirst && account.isEmailVerified) {
    const device = describeDevice(context.ctx.get('user-agent'));
    const mail = { purpose: 'new_sign_in', personId, address: account.email, device } as const;
    await queueLimitedMail({ em, pool: context.services.database.pool }, mail);
  }
  return rememberDevice(context, account);
}

function entriesOf(cookie: string | null): string[] {
  return cookie === null ? [] : cookie.split(SEPARATOR).slice(0, MOST_ACCOUNTS);
}

function signedText({ personId, passwordHash }: Owner, deviceId: string): string {
  return `${personId} ${deviceId} ${passwordHash ?? ''}`;
}
