import { z } from 'zod';
import {
  endSession,
  findPasswordHash,
  findPending,
  startSession,
  type Pending,
} from '../../domain/identity/identity.store.ts';
import { isPasswordRight } from '../../domain/identity/password.ts';
import { newCredential } from '../../domain/platform/ids.ts';
import { page, redirect } from '../answer.ts';
import { SIGN_IN_POLICY } from '../middleware/security-headers.ts';
import { defineRoute, type AnyCall } from '../route.ts';
import { resumeBuy } from '../selling/buy-request.ts';
import { noPreSessionCookie, noSessionCookie, preSessionCookie, sessionCookie } from './cookies.ts';
import { signFormToken } from './form-token.ts';
import { signInPage } from './sign-in.page.ts';

const field = z.string({ error: 'must be given once' });
const text = field.refine((value) => !value.includes('\0'), 'must be text');

export const showSignIn = defineRoute({
  method: 'GET',
  path: '/sign-in',
  summary: 'Sign-in form',
  credential: 'visitor',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(call) {
    if (call.visitor) return redirect(await pendingTarget(call));
    const token = call.cookies.preSession ?? newCredential('gs_');
    const view = signInPage({ formToken: signFormToken(call.services, 'pre_session', token) });
    return page(call, view, { cookies: [preSessionCookie(call.services.config.baseUrl, token)] });
  },
});

export const signIn = defineRoute({
  method: 'POST',
  path: '/sign-in',
  summary: 'Sign in with e-mail and password',
  credential: 'public',
  limit: 'sign_in',
  input: { body: { kind: 'form', shape: z.object({ email: text, password: field }) } },
  statuses: [303, 422],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(call) {
    const { services, cookies, body } = call;
    const em = services.database.em();
    const person = await findPasswordHash(em, body.email.trim());
    const isRight = await isPasswordRight(person?.passwordHash ?? null, body.password);
    if (!person || !isRight) {
      const token = signFormToken(services, 'pre_session', cookies.preSession ?? '');
      return page(call, signInPage({ formToken: token, refusedEmail: body.email }), {
        status: 422,
      });
    }
    if (cookies.session) await endSession(em, cookies.session);
    const session = await startSession(em, person.personId);
    return redirect(await pendingTarget(call), {
      cookies: [sessionCookie(services.config.baseUrl, session)],
    });
  },
});

export const signOut = defineRoute({
  method: 'POST',
  path: '/sign-out',
  summary: 'End this session',
  credential: 'session',
  limit: null,
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [303],
  errors: ['unauthorized', 'forbidden', 'unavailable'],
  async handler({ services, cookies }) {
    const { baseUrl } = services.config;
    if (cookies.session) await endSession(services.database.em(), cookies.session);
    return redirect('/', { cookies: [noSessionCookie(baseUrl), noPreSessionCookie(baseUrl)] });
  },
});

/** Where the person was going: kept on our side, so no link can choose it. */
async function pendingTarget({ services, cookies }: AnyCall): Promise<string> {
  const pending: Pending | null = cookies.preSession
    ? await findPending(services.database.em(), cookies.preSession)
    : null;
  if (!pending?.returnTo) return '/';
  return pending.clickId
    ? resumeBuy(services.signer, pending.returnTo, pending.clickId)
    : pending.returnTo;
}
