// Starts sessions and sets their cookies.
import { describeDevice } from '../../domain/identity/device.ts';
import {
  endPreSession,
  findPending,
  type Pending,
} from '../../domain/identity/pre-session.query.ts';
import {
  endSession,
  lockForSession,
  startSession,
} from '../../domain/identity/session.repository.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import type { AuthenticatedBy } from '../../domain/identity/session.entity.ts';
import {
  holdCredential,
  recordFirstSignIn,
  recordSignInAddress,
  type Credential,
} from '../../domain/identity/sign-in.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { redirect } from '../http/response.ts';
import { HttpError, unauthorized } from '../http/errors.ts';
import type { BareContext, RouteContext, HttpResponse } from '../http/route.ts';
import { resumeBuy, keepPending } from './return-to.ts';
import { NO_PRE_SESSION_COOKIE, sessionCookie, type Cookie } from '../http/cookies.ts';
import { callerAddress } from '../http/caller-address.ts';
import { recordDevice } from './known-device.ts';
import { NO_ENTERED_COOKIE } from './mail-links/entered-address.ts';

export const CONFIRM_EMAIL = '/confirm-email';

/** Starts a session with a new id and ends the previous session of the browser. */
export async function beginSession(
  { ctx, cookies }: RouteContext,
  given: { em: EntityManager; personId: string; authenticatedBy: AuthenticatedBy },
): Promise<Cookie> {
  const { em, personId, authenticatedBy } = given;
  if (cookies.session) await endSession(em, cookies.session);
  const device = describeDevice(ctx.get('user-agent'));
  await recordSignInAddress(em, { personId, address: callerAddress(ctx.ip) });
  const token = await startSession(em, { personId, device, authenticatedBy });
  return sessionCookie(token);
}

/**
 * The cookies of somebody who has just shown a credential; null where the credential was changed or
 * removed while it was being checked.
 */
export async function signInWith(
  context: RouteContext,
  credential: Credential & { personId: string },
): Promise<Cookie[] | null> {
  const { personId } = credential;
  const authenticatedBy = 'credentialId' in credential ? 'passkey' : 'password';
  return context.services.database.transaction(async (em) => {
    // Runs before the share lock on the person: two sign-ins may hold that lock at once.
    const isFirst = await recordFirstSignIn(em, personId);
    if (!(await holdCredential(em, credential))) return null;
    const device = await recordDevice(context, { em, personId, isFirst });
    const session = await beginSession(context, { em, personId, authenticatedBy });
    return [session, device, NO_ENTERED_COOKIE];
  });
}

/** Locks the person, and refuses a session that has ended since the request came. */
export async function requireLiveSession(
  { cookies }: RouteContext,
  { em, personId }: { em: EntityManager; personId: string },
): Promise<void> {
  const isLive = await lockForSession(em, { personId, token: cookies.session });
  if (!isLive) throw unauthorized({ wasGiven: false });
}

/** Finds where the person was going: kept on our side, so no link can choose it. */
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
): Promise<HttpResponse> {
  if (cookies.preSession === null) return redirect(location);
  await endPreSession(services.database.em(), cookies.preSession);
  return redirect(location, { cookies: [NO_PRE_SESSION_COOKIE] });
}

/** Buying and consenting need an address that was confirmed. */
export function requireVerifiedEmail({ isEmailVerified }: CurrentUser, message: string): void {
  if (!isEmailVerified) throw new HttpError('forbidden', { message });
}

/** Keeps the purchase link: the confirmation of the address is a step that leads back to it. */
export async function sendToConfirm(caller: BareContext, pending: Pending): Promise<HttpResponse> {
  const cookie = await keepPending(caller, pending);
  return redirect(CONFIRM_EMAIL, cookie === null ? {} : { cookies: [cookie] });
}
