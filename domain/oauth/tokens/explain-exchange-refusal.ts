// Says why a code was not exchanged, to a client that has proven itself.
import type { ClientKind } from '../clients/redirect-uri.ts';
import { type TokenFields } from './decide-exchange.ts';
import { isVerifier } from './code-verifier.ts';

/** A code of the client that asks, as it is stored. */
export type StoredCode = {
  redirectUri: string;
  challenge: string | null;
  isUsed: boolean;
  isExpired: boolean;
};

export type ExchangeRefusal =
  | 'cut_off'
  | 'unknown'
  | 'unknown_or_verifier'
  | 'used'
  | 'expired'
  | 'redirect_uri_missing'
  | 'redirect_uri_differs'
  | 'verifier_missing'
  | 'verifier_malformed'
  | 'verifier_unexpected'
  | 'verifier_wrong'
  | 'withdrawn';

type Exchange = Pick<TokenFields, 'redirectUri' | 'verifier'> & {
  kind: ClientKind;
  isCodeWellFormed: boolean;
  /** What the verifier is the proof of; null without a verifier. */
  challenge: string | null;
};

/**
 * Unknown codes and those of other clients are one. A client without a secret proves itself by the
 * verifier, so without the right one it learns nothing about the code.
 */
export function decideExchangeRefusal(
  exchange: Exchange,
  code: StoredCode | null,
): ExchangeRefusal {
  const { kind, redirectUri, verifier } = exchange;
  if (!exchange.isCodeWellFormed) return 'cut_off';
  if (verifier !== null && !isVerifier(verifier)) return 'verifier_malformed';
  if (kind !== 'confidential') {
    if (verifier === null) return 'verifier_missing';
    if (code?.challenge !== exchange.challenge) return 'unknown_or_verifier';
  }
  if (code === null) return 'unknown';
  if (code.isUsed) return 'used';
  if (code.isExpired) return 'expired';
  if (redirectUri === null) return 'redirect_uri_missing';
  if (redirectUri !== code.redirectUri) return 'redirect_uri_differs';
  if (code.challenge === exchange.challenge) return 'withdrawn';
  if (verifier === null) return 'verifier_missing';
  return code.challenge === null ? 'verifier_unexpected' : 'verifier_wrong';
}
