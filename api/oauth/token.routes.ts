import { TOKEN_SECONDS } from '../../domain/oauth/tokens/lifetimes.ts';
import {
  exchangeCode,
  findGrantRefusal,
  proveClient,
} from '../../domain/oauth/tokens/exchange-code.repository.ts';
import { decideExchange } from '../../domain/oauth/tokens/decide-exchange.ts';
import { revokeToken } from '../../domain/oauth/authorization.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { json } from '../http/response.ts';
import { defineRoute } from '../http/route.ts';
import { CLIENT_UNPROVEN, readClientRequest, refuseClient, windowOf } from './client-request.ts';
import { oauthError, oauthErrorBody } from './oauth-error.ts';
import { GRANT_REFUSALS, TOKEN_REFUSALS } from './token-refusals.ts';
import { revokeAnswer, revokeRequest, tokenRequest, tokenResponse } from './token.schema.ts';

const shared = { method: 'POST', credential: 'client', isCrossOrigin: true, input: {} } as const;

const documented = {
  tag: 'Identity',
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

const REFUSED_CLIENT = [{ error: 'invalid_client', error_description: CLIENT_UNPROVEN }] as const;

export const exchangeToken = defineRoute({
  ...shared,
  path: '/api/oauth/token',
  summary: 'Exchange a code',
  limit: 'token',
  documentation: {
    ...documented,
    operationId: 'exchangeCode',
    description:
      'Turns the code of a finished sign-in into an access token. A confidential client authenticates by HTTP Basic, or by `client_secret` in the body; a public or native one sends its `client_id` and the PKCE verifier. A code works once, within 5 minutes. The body may also be the same fields as `application/json`.',
    refusal: {
      shape: oauthErrorBody,
      400: [
        { error: 'invalid_grant', error_description: GRANT_REFUSALS.used },
        { error: 'invalid_request', error_description: 'code is missing' },
        {
          error: 'unsupported_grant_type',
          error_description: 'grant_type must be authorization_code',
        },
      ],
      401: REFUSED_CLIENT,
    },
    requestBody: tokenRequest,
    output: tokenResponse,
  },
  async handler(context) {
    const { database, integrations } = context.services;
    const request = await readClientRequest(context.ctx);
    if ('status' in request) return request;
    const { given, fields } = request;
    const asked = {
      grantType: fields['grant_type'] ?? null,
      code: fields['code'] ?? null,
      redirectUri: fields['redirect_uri'] ?? null,
      verifier: fields['code_verifier'] ?? null,
    };
    const decision = decideExchange(asked);
    const exchange = isRefusal(decision) || given.isConflicting ? null : decision;
    const window = windowOf(context, 'token');
    const answer = await exchangeCode(database.pool, { ...given, window, exchange });
    const refused = await refuseClient(context, { given, limit: 'token', client: answer });
    if (refused) return refused;
    if (isRefusal(decision)) return TOKEN_REFUSALS[decision.refused];
    if (answer?.issued) {
      const { productId } = answer.issued;
      if (productId !== null) integrations.noteToken(productId);
      return json(presentToken(answer.issued));
    }
    const reason = await findGrantRefusal(database.em(), given.clientId!, asked);
    return oauthError('invalid_grant', GRANT_REFUSALS[reason]);
  },
});

const revoke = defineRoute({
  ...shared,
  path: '/api/oauth/revoke',
  summary: 'Revoke a token',
  limit: 'revoke',
  documentation: {
    ...documented,
    operationId: 'revokeToken',
    refusal: {
      shape: oauthErrorBody,
      400: [{ error: 'invalid_request', error_description: 'token is missing' }],
      401: REFUSED_CLIENT,
    },
    output: revokeAnswer,
    description:
      'Ends an access token (RFC 7009). The body may also be the same fields as `application/json`. The response is the same for an unknown token, and for a token of another client, which stays valid.',
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

function presentToken({ token, scope }: { token: string; scope: string }) {
  return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope };
}

export const routes = [exchangeToken, revoke];
