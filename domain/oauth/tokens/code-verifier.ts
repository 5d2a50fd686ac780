// PKCE (RFC 7636): the form of a code verifier, its challenge, and their comparison.

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** RFC 7636 4.1. */
export function isVerifier(text: string): boolean {
  return VERIFIER.test(text);
}

/** Returns the S256 challenge of a verifier; null without a verifier. */
export const toChallenge = (verifier: string | null, sha256Base64url: (text: string) => string) =>
  verifier === null ? null : sha256Base64url(verifier);

/** SQL: the code `a` was requested with the challenge of the request, or both have none. */
export const fitsChallenge = (request: string) =>
  `a.challenge is not distinct from ${request}.challenge`;
