// Decides a token request of a proven client.
import { isVerifier } from './code-verifier.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

/** Every parameter that is read; absent and empty ones are null. */
export type TokenFields = Readonly<
  Record<'grantType' | 'code' | 'redirectUri' | 'verifier', string | null>
>;

export type ExchangeRequest = { code: string; redirectUri: string; verifier: string | null };

export type TokenRefusal = 'grant_type_missing' | 'grant_type_unsupported' | 'code_missing';

/**
 * The exchange to try. A verifier that fits no code empties the redirect URI, so that no code
 * matches; the request still counts as a replay.
 */
export function decideExchange(fields: TokenFields): ExchangeRequest | Refusal<TokenRefusal> {
  const { grantType, code, redirectUri, verifier } = fields;
  if (grantType === null) return refuse('grant_type_missing');
  if (grantType !== 'authorization_code') return refuse('grant_type_unsupported');
  if (code === null) return refuse('code_missing');
  const isVerifierFit = verifier === null || isVerifier(verifier);
  return { code, redirectUri: isVerifierFit ? (redirectUri ?? '') : '', verifier };
}
