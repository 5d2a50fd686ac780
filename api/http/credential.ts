// The credential of an API request, and what is wrong with a refused one. The sentence is made of
// the request alone: nothing is looked up, and nothing that came is repeated.
import type { IncomingHttpHeaders } from 'node:http';
import { isWellFormedCredential } from '../../domain/shared/ids.ts';

export type Needed = 'key' | 'token' | 'key_or_token';

/**
 * The parts of a request that may carry a credential: the query without its question mark, and the
 * headers.
 */
export type Carrier = { query: string; headers: IncomingHttpHeaders };

/** A request without a credential: the reference shows the sentence that it gets. */
export const NOTHING_SENT: Carrier = { query: '', headers: {} };

const BEARER = /^Bearer +(\S+)$/i;
const OURS = /(?:gk_live|gk_test|gat|gcs)_[0-9A-Za-z]/;
const HOW = 'Authorization: Bearer <credential>';

const NEEDS: Record<Needed, string> = {
  key: "This takes a product's API key (gk_live_... or gk_test_...)",
  token: "This takes a person's access token (gat_...)",
  key_or_token: "This takes a person's access token (gat_...) or a product's API key (gk_...)",
};

const KINDS = {
  gk_live_: 'an API key (gk_...)',
  gk_test_: 'an API key (gk_...)',
  gat_: "a person's access token (gat_...)",
  gac_: 'an authorization code (gac_...), which POST /api/oauth/token exchanges for an access token',
  gcs_: 'a client secret (gcs_...), which only POST /api/oauth/token takes',
  gcl_: 'a client id (gcl_...), which is no secret',
  whsec_: "an endpoint's signing secret (whsec_...)",
} as const;

type Kind = keyof typeof KINDS;

/** The kinds of credentials that a route takes. */
export const TAKEN: Record<Needed, readonly ('gk_live_' | 'gk_test_' | 'gat_')[]> = {
  key: ['gk_live_', 'gk_test_'],
  token: ['gat_'],
  key_or_token: ['gk_live_', 'gk_test_', 'gat_'],
};

const UNKNOWN_KEY =
  'This API key is not valid: it was revoked, was replaced more than 48 hours ago, belongs to a removed product, or was made by another installation.';
const UNKNOWN_TOKEN =
  'This access token is not valid: it has expired, or the person has revoked access. Sign the person in again.';

/** Reads the Authorization header only. */
export function readBearer(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null;
}

/** Why a request that was refused with 401 was refused. */
export function explainCredential({ query, headers }: Carrier, needed: Needed): string {
  const authorization = headers.authorization ?? '';
  const credential = readBearer(authorization);
  if (credential !== null) return explainBearer(credential, needed);
  if (authorization !== '') return explainHeader(authorization, needed);
  if (OURS.test(query)) {
    return `Send the credential as ${HOW}, not in the query. Addresses are kept in logs, so replace or revoke the one that you sent.`;
  }
  if (Object.values(headers).some((value) => OURS.test(String(value)))) {
    return `Send the credential as ${HOW}: it came in another header.`;
  }
  return `${NEEDS[needed]}, sent as ${HOW}. This request has no Authorization header.`;
}

function explainBearer(credential: string, needed: Needed): string {
  const kind = (Object.keys(KINDS) as Kind[]).find((prefix) => credential.startsWith(prefix));
  if (kind === undefined) return `${NEEDS[needed]}. What you sent begins with none of these.`;
  const taken = TAKEN[needed].find((prefix) => prefix === kind);
  if (taken === undefined) return `${NEEDS[needed]}. You sent ${KINDS[kind]}.`;
  const name = taken === 'gat_' ? 'access token' : 'API key';
  if (!isWellFormedCredential(credential, taken)) {
    return `This ${name} is cut off or changed: its checksum is wrong. Copy all of it.`;
  }
  return taken === 'gat_' ? UNKNOWN_TOKEN : UNKNOWN_KEY;
}

/** Explains an Authorization header that has no credential after `Bearer`. */
function explainHeader(authorization: string, needed: Needed): string {
  if (/^Bearer *$/i.test(authorization)) {
    return 'The Authorization header has nothing after Bearer. Is a variable of your program empty?';
  }
  if (/^Bearer /i.test(authorization)) {
    return `Send the credential as ${HOW}: what follows Bearer has a space in it.`;
  }
  if (/^Basic\b/i.test(authorization)) {
    return `Send the credential as ${HOW}, not by Basic. ${NEEDS[needed]}.`;
  }
  if (OURS.test(authorization)) {
    return `Send the credential as ${HOW}: the word Bearer is missing before it.`;
  }
  return `${NEEDS[needed]}, sent as ${HOW}. This Authorization header has another form.`;
}
