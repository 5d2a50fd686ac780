// Where somebody was going when sign-in came between.
import type { TokenSigner } from '../../domain/shared/secrets.ts';
import { startPreSession, type Pending } from '../../domain/identity/after-sign-in.query.ts';
import { redirect } from '../http/response.ts';
import { callerAddress } from '../http/caller-address.ts';
import { findNetworkOver } from '../http/rate-limit.ts';
import type { BareContext } from '../http/route.ts';
import { preSessionCookie, type Cookie } from '../http/cookies.ts';

/** Keeps where the person was going on our side; the cookie leads back to it. */
export async function sendToSignIn(
  caller: BareContext,
  pending: { returnTo: string; clickId: string | null },
  token?: string,
) {
  const cookie = await keepPending(caller, pending, token);
  return redirect('/sign-in', cookie === null ? {} : { cookies: [cookie] });
}

/** Keeps the way and returns its cookie; null where too much is kept for this address already. */
export async function keepPending(
  { ctx, services }: BareContext,
  pending: Pending,
  oldToken?: string,
): Promise<Cookie | null> {
  const { database, limits } = services;
  if (await findNetworkOver(ctx, services, 'pre_session')) return null;
  const bucket = `pre_session:${callerAddress(ctx.ip)}`;
  const kept = { token: oldToken, pending, bucket, limit: limits.pre_session };
  const token = await startPreSession(database.em(), kept);
  return token === null ? null : preSessionCookie(token);
}

/** The way back from sign-in carries its click, so that returning is never a click of its own. */
export function resumeBuy(signer: TokenSigner, returnTo: string, clickId: string): string {
  const mark = `${clickId}.${signer.sign('click', `${clickId} ${returnTo}`)}`;
  return `${returnTo}${returnTo.includes('?') ? '&' : '?'}resume=${mark}`;
}

/** The click that a return from sign-in carries, if it was made for this very link. */
export function resumedClick(
  signer: TokenSigner,
  { resume, returnTo }: { resume: string | string[] | undefined; returnTo: string },
): string | null {
  if (typeof resume !== 'string') return null;
  const [clickId = '', signature = ''] = resume.split('.');
  return signer.isSigned('click', `${clickId} ${returnTo}`, signature) ? clickId : null;
}
