import { TOKEN_SECONDS } from '../../domain/oauth/tokens/lifetimes.ts';
import { exchangeCode, proveClient } from '../../domain/oauth/tokens/exchange-code.repository.ts';
import { decideExchange, type TokenRefusal } from '../../domain/oauth/tokens/token-request.ts';
import { revokeToken } from '../../domain/oauth/authorization.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { json } from '../response.ts';
import { defineRoute, type HttpResponse } from '../route.ts';
import { readClientRequest, refuseClient, windowOf } from './client-request.ts';
import { oauthError, oauthErrorBody } from './oauth-error.ts';
import { revokeRequest, tokenRequest, tokenResponse } from './token.schema.ts';

const shared = {
  method: 'POST',
  credential: 'client',
  isCrossOrigin: true,
  input: {},
  statuses: [200],
  errors: [
    'invalid_request',
    'unauthorized',
    'payload_too_large',
    'rate_limited',
    'unavailable',
    'internal_error',
  ],
} as const;

const identity = { tag: 'Identity', refusal: oauthErrorBody } as const;

export const exchangeToken = defineRoute({
  ...shared,
  path: '/api/oauth/token',
  summary: 'Exchange a code for an access token',
  limit: 'token',
  documentation: {
    ...identity,
    description:
      'A confidential client authenticates by HTTP Basic, or by `client_secret` in the body; a public or native one sends its `client_id` and the PKCE verifier. A code works once, within 5 minutes.',
    requestBody: tokenRequest,
    output: tokenResponse,
  },
  async handler(context) {
    const { database } = context.services;
    const request = await readClientRequest(context.ctx);
    if ('status' in request) return request;
    const { given, fields } = request;
    const decision = decideExchange({
      grantType: fields['grant_type'] ?? null,
      code: fields['code'] ?? null,
      redirectUri: fields['redirect_uri'] ?? null,
      verifier: fields['code_verifier'] ?? null,
    });
    const exchange = isRefusal(decision) || given.isConflicting ? null : decision;
    const window = windowOf(context, 'token');
    const answer = await exchangeCode(database.pool, { ...given, window, exchange });
    const refused = await refuseClient(context, { given, limit: 'token', client: answer });
    if (refused) return refused;
    if (isRefusal(decision)) return REFUSALS[decision.refused];
    return answer?.issued ? json(presentToken(answer.issued)) : INVALID_GRANT;
  },
});

export const revoke = defineRoute({
  ...shared,
  path: '/api/oauth/revoke',
  summary: 'Revoke an access token',
  limit: 'revoke',
  documentation: {
    ...identity,
    description:
      'RFC 7009. The response is the same for an unknown token, and for a token of another client, which stays valid.',
    requestBody: revokeRequest,
  },
  async handler(context) {
    const { database } = context.services;
    const request = await readClientRequest(context.ctx);
    if ('status' in request) return request;
    const { given, fields } = request;
    const window = windowOf(context, 'revoke');
    const client = await proveClient(database.pool, { ...given, window });
    const refused = await refuseClient(context, { given, limit: 'revoke', client });
    if (refused) return refused;
    const token = fields['token'] ?? null;
    if (token === null) return oauthError('invalid_request', 'token is missing');
    await revokeToken(database.em(), { token, clientId: given.clientId! });
    return json({});
  },
});

const INVALID_GRANT = oauthError(
  'invalid_grant',
  'the code is unknown, expired or used, or does not fit this client, redirect_uri or code_verifier',
);

const REFUSALS: Record<TokenRefusal, HttpResponse> = {
  grant_type_missing: oauthError('invalid_request', 'grant_type is missing'),
  grant_type_unsupported: oauthError(
    'unsupported_grant_type',
    'grant_type must be authorization_code',
  ),
  code_missing: oauthError('invalid_request', 'code is missing'),
};

function presentToken({ token, scope }: { token: string; scope: string }) {
  return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope };
}
