// GET /oauth/authorize as an ordered list of small checks. Until client and redirect_uri belong
// together a refusal stays on a page of ours; after that it returns to the client.
import { type ClientKind } from './clients/redirect-uri.ts';
import { isRegistered } from './registered-redirect.ts';
import { decideScopes, type Scope } from './scope.ts';

export type AuthorizeClient = {
  id: string;
  kind: ClientKind;
  isFirstParty: boolean;
  redirectUris: readonly string[];
};

/** The values of each parameter; an empty value counts as absent. */
export type Parameters = Readonly<Record<string, readonly string[]>>;

export type AuthorizeRequest = {
  clientId: string;
  redirectUri: string;
  scopes: Scope[];
  state: string | null;
  challenge: string | null;
};

export type PageReason =
  | 'client_id_missing'
  | 'client_unknown'
  | 'redirect_uri_missing'
  | 'redirect_uri_unregistered'
  | 'state_too_long';

type RedirectError = 'invalid_request' | 'unsupported_response_type' | 'invalid_scope';

export type AuthorizeDecision =
  | { kind: 'ask'; request: AuthorizeRequest }
  | { kind: 'page'; reason: PageReason }
  | {
      kind: 'redirect';
      redirectUri: string;
      state: string | null;
      error: RedirectError;
      description: string;
    };

const LONGEST_STATE = 4_096;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const SINGLE = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];

type Check = (given: {
  read: (name: string) => string | null;
  isRepeated: (name: string) => boolean;
  client: AuthorizeClient;
}) => [RedirectError, string] | null;

const CHECKS: Check[] = [
  ({ isRepeated }) => {
    const repeated = SINGLE.find(isRepeated);
    return repeated ? ['invalid_request', `${repeated} was sent more than once`] : null;
  },
  ({ read }) =>
    (read('response_type') ?? 'code') === 'code'
      ? null
      : ['unsupported_response_type', 'response_type must be code'],
  ({ read }) => {
    const method = read('code_challenge_method');
    return method === null || method === 'S256'
      ? null
      : ['invalid_request', 'code_challenge_method must be S256'];
  },
  ({ read }) =>
    (read('code_challenge') === null) === (read('code_challenge_method') === null)
      ? null
      : ['invalid_request', 'code_challenge and code_challenge_method=S256 go together'],
  ({ read }) => {
    const challenge = read('code_challenge');
    return challenge === null || CHALLENGE.test(challenge)
      ? null
      : ['invalid_request', 'code_challenge must be 43 base64url characters'];
  },
  ({ read, client }) =>
    client.kind === 'confidential' || read('code_challenge') !== null
      ? null
      : ['invalid_request', 'this client must send a code_challenge'],
  ({ read, client }) =>
    decideScopes(read('scope'), client)
      ? null
      : ['invalid_scope', 'none of the requested scopes is known'],
];

/** The one client_id of a request, or null. */
export function namedClient(parameters: Parameters): string | null {
  const given = valuesOf(parameters, 'client_id');
  return given.length === 1 ? given[0]! : null;
}

/** Checks a request whose client was looked up (null: unknown, disabled or deleted). */
export function decideAuthorize(
  parameters: Parameters,
  client: AuthorizeClient | null,
): AuthorizeDecision {
  if (namedClient(parameters) === null) return { kind: 'page', reason: 'client_id_missing' };
  if (!client) return { kind: 'page', reason: 'client_unknown' };
  const uris = valuesOf(parameters, 'redirect_uri');
  if (uris.length !== 1) return { kind: 'page', reason: 'redirect_uri_missing' };
  const redirectUri = uris[0]!;
  if (!isRegistered(redirectUri, client)) {
    return { kind: 'page', reason: 'redirect_uri_unregistered' };
  }
  const read = (name: string) => valuesOf(parameters, name)[0] ?? null;
  const isRepeated = (name: string) => valuesOf(parameters, name).length > 1;
  const state = isRepeated('state') ? null : read('state');
  if (state !== null && state.length > LONGEST_STATE) {
    return { kind: 'page', reason: 'state_too_long' };
  }
  for (const check of CHECKS) {
    const failed = check({ read, isRepeated, client });
    if (failed) {
      const [error, description] = failed;
      return { kind: 'redirect', redirectUri, state, error, description };
    }
  }
  const scopes = decideScopes(read('scope'), client)!;
  const challenge = read('code_challenge');
  return { kind: 'ask', request: { clientId: client.id, redirectUri, scopes, state, challenge } };
}

function valuesOf(parameters: Parameters, name: string): readonly string[] {
  return (parameters[name] ?? []).filter((value) => value !== '');
}
