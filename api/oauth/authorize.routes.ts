import { z } from 'zod';
import { readAccess } from '../../domain/entitlements/access.query.ts';
import {
  decideAuthorize,
  namedClient,
  type AuthorizeRequest,
} from '../../domain/oauth/authorize-request.ts';
import { keepRequest } from '../../domain/oauth/authorization.repository.ts';
import { answerConsent } from '../../domain/oauth/consent.command.ts';
import { LONGEST_RETURN_TO } from '../../domain/identity/after-sign-in.query.ts';
import {
  findAuthorizeClient,
  type ClientView,
} from '../../domain/oauth/clients/oauth-client.repository.ts';
import { withParameters } from '../../domain/oauth/clients/redirect-uri.ts';
import { isLoopbackHost } from '../../domain/shared/loopback.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { page, redirect } from '../http/response.ts';
import { leaveSignIn, requireVerifiedEmail } from '../account/start-session.ts';
import { sessionFormToken } from '../http/csrf.ts';
import { sendToSignIn } from '../account/return-to.ts';
import { SIGN_IN_POLICY } from '../http/security-headers.ts';
import { isPrefetch } from '../http/prefetch.ts';
import { unauthorized } from '../http/errors.ts';
import {
  defineRoute,
  type RouteContext,
  type SessionContext,
  OPEN_PAGE,
  SESSION_FORM,
} from '../http/route.ts';
import { keepKnown, readKnown } from './read-parameters.ts';
import { consentPage, refusalPage, type RefusalReason } from './consent.page.ts';
import { given, formBody } from '../http/fields.ts';

const RULES = {
  client_id: 'Issued with the OAuth client',
  redirect_uri: 'Exactly one of the URIs that are registered for the client',
  scope: '`identity`, `entitlements` or both, which is the default; others are dropped',
  state: 'Returned unchanged; at most 4,096 characters',
  code_challenge: 'base64url of SHA-256 of the verifier; public and native clients must send it',
  code_challenge_method: '`S256`',
  response_type: '`code`, or absent',
};

const NAMES = Object.keys(RULES);

const MAX_LENGTH = 4_096;

const value = given(MAX_LENGTH);
const once = z.union([value, z.array(value)]).optional();

const EXAMPLES: Record<keyof typeof RULES, string> = {
  client_id: 'gcl_4fT9kQ2wX7mB1cV8nZ3rLs',
  redirect_uri: 'https://app.example/callback',
  scope: 'identity entitlements',
  state: 'af0ifjsldkj',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  response_type: 'code',
};

const REQUIRED = new Set(['client_id', 'redirect_uri']);

/** A repeated parameter has a page of its own. */
const authorizeQuery = z.object(Object.fromEntries(NAMES.map((name) => [name, once])));

/** What the reference says; the values are read from the query as it came. */
const documentedQuery = z.object(
  Object.fromEntries(
    Object.entries(RULES).map(([name, description]) => {
      const meta = { description, examples: [EXAMPLES[name as 'state']] };
      return [name, (REQUIRED.has(name) ? value : value.optional()).meta(meta)];
    }),
  ),
);

const DENIED = { error: 'access_denied', error_description: 'the person did not allow access' };
const UNVERIFIED = 'Confirm your email address before you sign in to an app.';

const authorize = defineRoute({
  ...OPEN_PAGE,
  path: '/oauth/authorize',
  summary: 'Start sign-in',
  limit: 'authorize',
  input: { query: authorizeQuery },
  contentSecurityPolicy: SIGN_IN_POLICY,
  documentation: {
    statuses: [200, 204, 303],
    errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable', 'internal_error'],
    operationId: 'startSignIn',
    tag: 'Identity',
    isPage: true,
    query: documentedQuery,
    meanings: {
      200: 'The consent page',
      204: 'The answer to HEAD and prefetch requests',
      303: 'To sign-in, or back to `redirect_uri` with an error',
    },
    description:
      "Open this address in the person's browser. The person signs in if needed, sees the consent page, and returns to `redirect_uri` with `code` and `state`, or with `error`, `error_description` and `state`. If `client_id` or `redirect_uri` is wrong, the response is an error page. HEAD and prefetch requests get 204.",
  },
  async handler(context) {
    const { ctx, services, currentUser } = context;
    if (isPrefetch(ctx)) return { status: 204 };
    const parameters = readKnown(ctx.querystring, { names: NAMES, longest: MAX_LENGTH });
    if (!parameters) return explain(context, 'unreadable');
    const clientId = namedClient(parameters);
    const client = clientId && (await findAuthorizeClient(services.database.em(), clientId));
    const decision = decideAuthorize(parameters, client || null);
    if (decision.kind === 'page' || !client) {
      return explain(context, decision.kind === 'page' ? decision.reason : 'client_unknown');
    }
    const returnTo = `/oauth/authorize?${keepKnown(ctx.querystring, NAMES)}`;
    // Errors wait for sign-in too: a visitor is not sent to an address that a client chose.
    if (!currentUser) {
      if (returnTo.length > LONGEST_RETURN_TO) return explain(context, 'too_long');
      return sendToSignIn(context, { returnTo, clickId: null });
    }
    if (decision.kind === 'redirect') {
      const { redirectUri, error, description: error_description, state } = decision;
      const iss = client.sendsIss ? services.config.baseUrl : null;
      return redirect(withParameters(redirectUri, { error, error_description, state, iss }));
    }
    return ask({ ...context, currentUser }, { client, request: decision.request, returnTo });
  },
});

const consent = defineRoute({
  ...SESSION_FORM,
  path: '/oauth/authorize',
  summary: 'Answer the consent page',
  proof: 'none',
  limit: 'app_access',
  input: { body: formBody({ request: given(200), decision: z.enum(['allow', 'deny']) }) },
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { services, currentUser, body, cookies } = context;
    const { database, config, integrations } = services;
    requireVerifiedEmail(currentUser, UNVERIFIED);
    const answered = await answerConsent(database.em(), {
      personId: currentUser.personId,
      session: cookies.session ?? '',
      token: body.request,
      decision: body.decision,
    });
    if (isRefusal(answered)) {
      if (answered.refused === 'session_ended') throw unauthorized({ wasGiven: false });
      return explain(context, answered.refused);
    }
    const { redirectUri, state, sendsIss, code, calledBack } = answered;
    if (calledBack !== null) integrations.noteCallback(calledBack);
    const outcome = code === null ? DENIED : { code };
    const iss = sendsIss ? config.baseUrl : null;
    return leaveSignIn(context, withParameters(redirectUri, { ...outcome, state, iss }));
  },
});

type ConsentRequest = { client: ClientView; request: AuthorizeRequest; returnTo: string };

async function ask(context: SessionContext, { client, request, returnTo }: ConsentRequest) {
  const { services, currentUser } = context;
  const { personId, handle, displayName } = currentUser;
  requireVerifiedEmail(currentUser, UNVERIFIED);
  const isAccessAsked = client.productId !== null && request.scopes.includes('entitlements');
  const view = consentPage({
    appName: client.name,
    host: hostOf(request.redirectUri),
    product: toProduct(client),
    person: { id: personId, handle, displayName },
    hasAccess: isAccessAsked ? await hasAccess(context, client) : null,
    returnTo: returnTo.length > LONGEST_RETURN_TO ? null : returnTo,
    formToken: sessionFormToken(context),
    requestToken: await keepRequest(services.database.em(), personId, request),
  });
  return page(context, view);
}

/** An app on a device is led back to itself: it has no server to name. */
function hostOf(redirectUri: string): string | null {
  const { protocol, host, hostname } = new URL(redirectUri);
  return protocol === 'https:' || (protocol === 'http:' && !isLoopbackHost(hostname)) ? host : null;
}

function toProduct({ slug, productName: name, iconHash }: ClientView) {
  return slug === null || name === null ? null : { slug, name, iconHash };
}

async function hasAccess(
  { services, currentUser }: SessionContext,
  { productId }: ClientView,
): Promise<boolean> {
  const key = { productId: productId!, personId: currentUser.personId };
  return (await readAccess(services.database.pool, key)).isActive;
}

function explain(context: RouteContext, reason: RefusalReason) {
  return page(context, refusalPage(reason), { status: 400 });
}

export const routes = [authorize, consent];
