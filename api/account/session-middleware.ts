import type { Context, Middleware, Next } from 'koa';
import {
  findCurrentUser,
  type CurrentUser,
} from '../../domain/identity/current-user.repository.ts';
import { operatorPasskeyPage } from './confirmation/operator-passkey.page.ts';
import { isAllowed } from '../../domain/teams/permissions.ts';
import type { Cookies } from '../http/cookies.ts';
import { keepPending, sendToSignIn } from './return-to.ts';
import { HttpError, unauthorized } from '../http/errors.ts';
import { page, writeResponse } from '../http/response.ts';
import type { Credential } from '../http/route.ts';
import type { Services } from '../services.ts';
import { countUnknown } from '../http/rate-limit.ts';
import { PASSKEY_POLICY } from '../http/security-headers.ts';

/** The signed-in person, as the route needs them: anyone, signed in, or an operator. */
export function session(needed: Credential, services: Services): Middleware {
  return async (ctx, next) => {
    const currentUser = await findSignedIn(ctx, services);
    ctx.state['currentUser'] = currentUser;
    if (needed === 'optional_session') return next();
    if (currentUser === null) return writeResponse(ctx, services, await askToSignIn(ctx, services));
    if (needed === 'session') return next();
    return requireOperator(ctx, services, next);
  };
}

export async function findSignedIn(
  ctx: Context,
  { config, database }: Services,
): Promise<CurrentUser | null> {
  const { session: token } = ctx.state['cookies'] as Cookies;
  if (token === null) return null;
  const { isOperatorPasskeyRequired: isPasskeyRequired } = config;
  return findCurrentUser(database.em(), { token, isPasskeyRequired });
}

/** Leads from a page to sign-in and back; a form is refused. */
async function askToSignIn(ctx: Context, services: Services) {
  await countUnknown(ctx, services);
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw unauthorized({ wasGiven: false });
  return sendToSignIn({ ctx, services }, { returnTo: ctx.path, clickId: null });
}

/** Answers others as if there were no such page. */
async function requireOperator(ctx: Context, services: Services, next: Next): Promise<unknown> {
  const { currentUser } = ctx.state;
  if (currentUser.lacksPasskey) {
    return writeResponse(ctx, services, await askForPasskey(ctx, services));
  }
  if (!isAllowed(currentUser.isOperator ? ['operator'] : [], 'run_platform')) {
    throw new HttpError('not_found');
  }
  return next();
}

/** Leads back to a page; a form has to be sent again. */
async function askForPasskey(ctx: Context, services: Services) {
  const { currentUser, cookies } = ctx.state;
  const context = { ctx, services, currentUser, cookies };
  ctx.set('content-security-policy', PASSKEY_POLICY);
  const view = await operatorPasskeyPage(context);
  const pending = { returnTo: ctx.path, clickId: null };
  const cookie = ctx.method === 'GET' ? await keepPending(context, pending) : null;
  return page(context, view, { status: 403, cookies: cookie === null ? [] : [cookie] });
}
