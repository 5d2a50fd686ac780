// The OAuth error and the description of each refusal of the token endpoint.
import type { TokenRefusal } from '../../domain/oauth/tokens/decide-exchange.ts';
import type { ExchangeRefusal } from '../../domain/oauth/tokens/explain-exchange-refusal.ts';
import type { HttpResponse } from '../http/route.ts';
import { oauthError } from './oauth-error.ts';

export const TOKEN_REFUSALS: Record<TokenRefusal, HttpResponse> = {
  grant_type_missing: oauthError('invalid_request', 'grant_type is missing'),
  grant_type_unsupported: oauthError(
    'unsupported_grant_type',
    'grant_type must be authorization_code',
  ),
  code_missing: oauthError('invalid_request', 'code is missing'),
};

/** Descriptions of `invalid_grant`. */
export const GRANT_REFUSALS: Record<ExchangeRefusal, string> = {
  cut_off: 'the code is cut off or not ours: its checksum is wrong',
  unknown: 'the code is unknown, belongs to another client, or the person has revoked access',
  unknown_or_verifier:
    'the code is unknown, belongs to another client, or was made with another code_challenge than that of this code_verifier',
  used: 'the code was used already: send the person through sign-in again',
  expired:
    'the code has expired, 5 minutes after it was made: send the person through sign-in again',
  redirect_uri_missing: 'redirect_uri is missing: send the one of the authorization request',
  redirect_uri_differs: 'redirect_uri is not the one of the authorization request',
  verifier_missing: 'code_verifier is missing, and the authorization request had a code_challenge',
  verifier_malformed:
    'code_verifier must be 43 to 128 characters of letters, digits, dot, underscore, tilde and hyphen',
  verifier_unexpected:
    'code_verifier was sent, and the authorization request had no code_challenge',
  verifier_wrong: 'code_verifier does not fit the code_challenge of the authorization request',
  withdrawn: 'the person has withdrawn consent since the code was made',
};
