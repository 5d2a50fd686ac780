// Requires re-authentication before an action that a stolen session must not perform.
import type { Context, Middleware } from 'koa';
import { findAccount } from '../../../domain/identity/account.repository.ts';
import type { AuthenticatedBy } from '../../../domain/identity/session.entity.ts';
import { holdCredential } from '../../../domain/identity/sign-in.repository.ts';
import { renewSession } from '../../../domain/identity/session.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { listCredentialIds } from '../../../domain/identity/passkeys/passkey.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { page, writeResponse } from '../../http/response.ts';
import { unauthorized } from '../../http/errors.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import type { Fields } from '../../http/validate.ts';
import type { RouteContext, HttpResponse } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { sessionCookie, setCookie, type Cookie, type Cookies } from '../../http/cookies.ts';
import { CSRF_FIELD, sessionFormToken } from '../../http/csrf.ts';
import { findPasskeyOwner } from '../passkeys/passkey-use.ts';
import { assertionField } from '../passkeys/passkey-response.schema.ts';
import { validateReauthentication } from '../settings/re-authentication.ts';
import { requireLiveSession } from '../sessions.ts';
import {
  confirmationPage,
  PASSKEY_REFUSED,
  PROOF_PASSKEY,
  PROOF_PASSWORD,
} from './confirmation.page.ts';

type ProvingCall = RouteContext & { currentUser: CurrentUser };

/** The session's new token, once the proof came with the form. */
export type Proved = { token: string; cookie: Cookie };

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
  context: ProvingCall,
  fields: Fields<string>,
): Promise<Proved | HttpResponse> {
  const { [PROOF_PASSWORD]: password, [PROOF_PASSKEY]: passkey, ...rest } = fields;
  let problem: string | null = null;
  if (typeof passkey === 'string') {
    const proved = await proveWithPasskey(context, passkey);
    if (proved) return proved;
    problem = PASSKEY_REFUSED;
  } else if (typeof password === 'string') {
    problem = await validateReauthentication(context, context.currentUser, password);
    if (problem === null) return renewByPassword(context);
  }
  return showConfirmation(context, { fields: rest, problem });
}

/** Returns null unless a passkey of the signed-in person has answered, and is still theirs. */
export async function proveWithPasskey(
  context: ProvingCall,
  response: string,
): Promise<Proved | null> {
  const { data: answer } = assertionField.safeParse(response);
  if (!answer) return null;
  const { personId } = context.currentUser;
  const ownerId = await findPasskeyOwner(context, { cookie: context.cookies.session, answer });
  if (ownerId !== personId) return null;
  return context.services.database.transaction(async (em) => {
    const isHeld = await holdCredential(em, { personId, credentialId: answer.id });
    return isHeld ? renew(context, { em, authenticatedBy: 'passkey' }) : null;
  });
}

/**
 * Works under the person's lock: a reset at the same moment ends the session, or comes after it.
 */
function renewByPassword(context: ProvingCall): Promise<Proved> {
  const { personId } = context.currentUser;
  return context.services.database.transaction(async (em) => {
    await requireLiveSession(context, { em, personId });
    return renew(context, { em, authenticatedBy: 'password' });
  });
}

async function renew(
  { cookies }: RouteContext,
  { em, authenticatedBy }: { em: EntityManager; authenticatedBy: AuthenticatedBy },
): Promise<Proved> {
  const token = await renewSession(em, { token: cookies.session ?? '', authenticatedBy });
  if (token === null) throw unauthorized({ wasGiven: false });
  return { token, cookie: sessionCookie(token) };
}

async function showConfirmation(
  context: ProvingCall,
  { fields, problem }: { fields: Fields<string>; problem: string | null },
): Promise<HttpResponse> {
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
