// Requires re-authentication before an action that a stolen session must not perform.
import type { Context, Middleware } from 'koa';
import { findAccount } from '../../../domain/identity/account.repository.ts';
import { proveSession } from '../../../domain/identity/session.command.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { listCredentialIds } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, writeResponse } from '../../http/response.ts';
import { unauthorized } from '../../http/errors.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import type { Fields } from '../../http/validate.ts';
import type { HttpResponse, SessionContext } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { sessionCookie, setCookie, type Cookie, type Cookies } from '../../http/cookies.ts';
import { CSRF_FIELD, sessionFormToken } from '../../http/csrf.ts';
import { findPasskeyOwner } from '../passkeys/passkey-use.ts';
import { assertionField } from '../passkeys/passkey-response.schema.ts';
import { validateReauthentication } from '../settings/re-authentication.ts';
import {
  confirmationPage,
  PASSKEY_REFUSED,
  PROOF_PASSKEY,
  PROOF_PASSWORD,
} from './confirmation.page.ts';

/** The session's new token, once the proof came with the form. */
type RenewedSession = { token: string; cookie: Cookie };

/** The confirmation sends the whole form again and these beside it: a password, or a response. */
export const PROOF_FIELDS = { names: [PROOF_PASSWORD, PROOF_PASSKEY], bytes: 32 * 1024 };

type Needed = 'fresh' | ((body: never) => boolean);

/**
 * Runs the handler when the form carries a valid password or passkey, and renews the session
 * token. Otherwise shows the confirmation page.
 */
export function freshProof(needed: Needed, services: Services): Middleware {
  return async (ctx, next) => {
    const { currentUser, cookies, body, fields } = ctx.state as State;
    const isNeeded = needed === 'fresh' || needed(body);
    if (!isNeeded || currentUser.isFresh) return next();
    const context = { ctx: ctx as Context, services, cookies, currentUser };
    const proved = await readProof(context, fields);
    if ('status' in proved) return writeResponse(ctx as Context, services, proved);
    // Sets the cookie even if the handler refuses: the old token ends within seconds.
    setCookie(ctx as Context, services.config.baseUrl, proved.cookie);
    ctx.state['cookies'] = { ...cookies, session: proved.token };
    return next();
  };
}

type State = { currentUser: CurrentUser; cookies: Cookies; body: never; fields: Fields<string> };

async function readProof(
  context: SessionContext,
  fields: Fields<string>,
): Promise<RenewedSession | HttpResponse> {
  const { [PROOF_PASSWORD]: password, [PROOF_PASSKEY]: passkey, ...rest } = fields;
  let problem: string | null = null;
  if (typeof passkey === 'string') {
    const proved = await proveWithPasskey(context, passkey);
    if (proved) return proved;
    problem = PASSKEY_REFUSED;
  } else if (typeof password === 'string') {
    problem = await validateReauthentication(context, context.currentUser, password);
    const renewed = problem === null ? await renewSession(context, null) : null;
    if (renewed) return renewed;
  }
  return showConfirmation(context, { fields: rest, problem });
}

/** Renews the session if a passkey of the signed-in person has answered, and is still theirs. */
export async function proveWithPasskey(
  context: SessionContext,
  response: string,
): Promise<RenewedSession | null> {
  const { data: answer } = assertionField.safeParse(response);
  if (!answer) return null;
  const { personId } = context.currentUser;
  const ownerId = await findPasskeyOwner(context, { cookie: context.cookies.session, answer });
  if (ownerId !== personId) return null;
  return renewSession(context, answer.id);
}

/** Returns null where the passkey was removed meanwhile. */
async function renewSession(
  { services, cookies, currentUser }: SessionContext,
  credentialId: string | null,
): Promise<RenewedSession | null> {
  const input = { personId: currentUser.personId, token: cookies.session ?? '', credentialId };
  const proved = await proveSession(services.database.em(), input);
  if (!isRefusal(proved)) return { token: proved.token, cookie: sessionCookie(proved.token) };
  if (proved.refused === 'session_ended') throw unauthorized({ wasGiven: false });
  return null;
}

async function showConfirmation(
  context: SessionContext,
  { fields, problem }: { fields: Fields<string>; problem: string | null },
) {
  const { ctx, services, currentUser } = context;
  const em = services.database.em();
  const { [CSRF_FIELD]: _, ...typed } = fields;
  // The form's handler may redirect to the payment processor.
  ctx.set('content-security-policy', SIGN_IN_POLICY);
  const view = confirmationPage({
    action: ctx.path,
    token: sessionFormToken(context),
    fields: typed,
    hasPassword: (await findAccount(em, currentUser.personId))?.passwordHash != null,
    hasPasskey: (await listCredentialIds(em, currentUser.personId)).length > 0,
    problem,
  });
  return page(context, view, { status: problem === null ? 403 : 422 });
}
