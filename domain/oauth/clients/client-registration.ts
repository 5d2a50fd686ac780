// The rules of a new OAuth client.
import { validateName, type NameProblem } from '../../shared/names.ts';
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
  name?: NameProblem;
  redirectUris?: 'missing' | 'too_many' | { uri: string; reason: UriRefusal }[];
};

const MOST_URIS = 20;

/** Tells whether only loopback addresses are taken, as before the builder's verification. */
export type Trial = { isTrial: boolean };

/** A first-party client may carry the platform's name. */
type Registering = Trial & { isFirstParty?: boolean };

export function decideRegistration(
  typed: TypedClient,
  { isTrial, isFirstParty = false }: Registering = { isTrial: false },
): { registration: Registration } | { problems: RegistrationProblems } {
  const kind = CLIENT_KINDS.find((known) => known === typed.kind);
  const { value: name, problem } = validateName(typed.name, { isPlatform: isFirstParty });
  const redirectUris = readLines(typed.redirectUris);
  const problems: RegistrationProblems = {
    ...(kind ? {} : { kind: 'unknown' }),
    ...problemOf('name', problem),
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
