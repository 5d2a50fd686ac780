// Starts sessions and sets their cookies.
import { describeDevice } from '../../domain/identity/device.ts';
import {
  endPreSession,
  findPending,
  type Pending,
} from '../../domain/identity/after-sign-in.query.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { signIn, type Browser } from '../../domain/identity/session.command.ts';
import type { Credential } from '../../domain/identity/sign-in.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { redirect } from '../http/response.ts';
import { HttpError } from '../http/errors.ts';
import type { BareContext, RouteContext } from '../http/route.ts';
import { resumeBuy, keepPending } from './return-to.ts';
import { NO_PRE_SESSION_COOKIE, sessionCookie, type Cookie } from '../http/cookies.ts';
import { callerAddress } from '../http/caller-address.ts';
import { findDevice, rememberDevice, type DeviceOwner } from './known-device.ts';
import { NO_ENTERED_COOKIE } from './mail-links/entered-address.ts';

export const CONFIRM_EMAIL = '/confirm-email';

/** Reads what a new session keeps of the browser. */
export function readBrowser({ ctx, cookies }: Pick<RouteContext, 'ctx' | 'cookies'>): Browser {
  const device = describeDevice(ctx.get('user-agent'));
  return { session: cookies.session, device, address: callerAddress(ctx.ip) };
}

/**
 * Signs a person in who has just shown a credential, and returns the cookies. Returns null where the
 * credential was changed or removed while it was being checked.
 */
export async function signInWith(
  context: RouteContext,
  { account, credential }: { account: DeviceOwner; credential: Credential },
): Promise<Cookie[] | null> {
  const { database } = context.services;
  const signedIn = await signIn(database.em(), {
    personId: account.personId,
    credential,
    browser: readBrowser(context),
    isDeviceKnown: findDevice(context, account) !== null,
    pool: database.pool,
  });
  if (isRefusal(signedIn)) return null;
  const device = rememberDevice(context, signedIn.account);
  return [sessionCookie(signedIn.token), device, NO_ENTERED_COOKIE];
}

/** Finds where the person was going. It is kept on our side, so no link can choose it. */
export async function findPendingTarget({
  services,
  cookies,
}: RouteContext): Promise<string | null> {
  const pending: Pending | null = cookies.preSession
    ? await findPending(services.database.em(), cookies.preSession)
    : null;
  if (!pending?.returnTo) return null;
  return pending.clickId
    ? resumeBuy(services.signer, pending.returnTo, pending.clickId)
    : pending.returnTo;
}

/** Redirects to the kept destination and deletes it, so that it is used once. */
export async function leaveSignIn(
  { services, cookies }: Pick<RouteContext, 'services' | 'cookies'>,
  location: string,
) {
  if (cookies.preSession === null) return redirect(location);
  await endPreSession(services.database.em(), cookies.preSession);
  return redirect(location, { cookies: [NO_PRE_SESSION_COOKIE] });
}

/** Buying and consenting need an address that was confirmed. */
export function requireVerifiedEmail({ isEmailVerified }: CurrentUser, message: string): void {
  if (!isEmailVerified) throw new HttpError('forbidden', { message });
}

/** Keeps the purchase link: the confirmation of the address is a step that leads back to it. */
export async function sendToConfirm(caller: BareContext, pending: Pending) {
  const cookie = await keepPending(caller, pending);
  return redirect(CONFIRM_EMAIL, cookie === null ? {} : { cookies: [cookie] });
}
