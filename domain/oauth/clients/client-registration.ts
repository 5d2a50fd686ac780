// The rules of a new OAuth client.
import {
  CLIENT_KINDS,
  decideRedirectUri,
  isLoopbackUri,
  type ClientKind,
  type UriRefusal,
} from './redirect-uri.ts';

/** A form as typed, with one redirect URI on a line. */
export type TypedClient = { kind: string; name: string; redirectUris: string };

export type Registration = { kind: ClientKind; name: string; redirectUris: string[] };

export type RegistrationProblems = {
  kind?: 'unknown';
  name?: 'missing' | 'too_long' | 'control';
  redirectUris?: 'missing' | 'too_many' | { uri: string; reason: UriRefusal }[];
};

const LONGEST_NAME = 80;
const MOST_URIS = 20;

/** Before the builder is verified, only loopback addresses are taken. */
export type Trial = { isTrial: boolean };

export function decideRegistration(
  typed: TypedClient,
  { isTrial }: Trial = { isTrial: false },
): { registration: Registration } | { problems: RegistrationProblems } {
  const kind = CLIENT_KINDS.find((known) => known === typed.kind);
  const name = typed.name.trim();
  const redirectUris = readLines(typed.redirectUris);
  const problems: RegistrationProblems = {
    ...(kind ? {} : { kind: 'unknown' }),
    ...problemOf('name', validateName(name)),
    ...problemOf(
      'redirectUris',
      validateUris(redirectUris, { kind: kind ?? 'confidential', isTrial }),
    ),
  };
  if (!kind || Object.keys(problems).length > 0) return { problems };
  return { registration: { kind, name, redirectUris } };
}

/** The new list of redirect URIs for a client of the kind. */
export function decideRedirectUris(
  typed: string,
  client: { kind: ClientKind } & Trial,
): { redirectUris: string[] } | { problem: NonNullable<RegistrationProblems['redirectUris']> } {
  const redirectUris = readLines(typed);
  const problem = validateUris(redirectUris, client);
  return problem ? { problem } : { redirectUris };
}

function readLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))];
}

function validateName(name: string): RegistrationProblems['name'] | null {
  if (name === '') return 'missing';
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(name)) return 'control';
  return [...name].length > LONGEST_NAME ? 'too_long' : null;
}

function validateUris(
  uris: string[],
  { kind, isTrial }: { kind: ClientKind } & Trial,
): RegistrationProblems['redirectUris'] | null {
  if (uris.length === 0) return 'missing';
  if (uris.length > MOST_URIS) return 'too_many';
  const refused = uris.flatMap((uri) => {
    const reason =
      decideRedirectUri(uri, kind) ?? (isTrial && !isLoopbackUri(uri) ? 'not_loopback' : null);
    return reason === null ? [] : [{ uri, reason }];
  });
  return refused.length === 0 ? null : refused;
}

function problemOf<Name extends string, Problem>(name: Name, problem: Problem | null | undefined) {
  return problem ? { [name]: problem } : {};
}
