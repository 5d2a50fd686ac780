// The scopes of a token, in the order in which they are written.

const SCOPES = ['identity', 'entitlements', 'mobile'] as const;
export type Scope = (typeof SCOPES)[number];

const DEFAULT: Scope[] = ['identity', 'entitlements'];

/** The recognised scopes of a text. */
export function readScopes(text: string): Scope[] {
  const words = text.split(' ');
  return SCOPES.filter((scope) => words.includes(scope));
}

/** The recognised scopes of a request; null when none is recognised. */
export function decideScopes(
  asked: string | null,
  client: { isFirstParty: boolean },
): Scope[] | null {
  if (asked === null || asked.trim() === '') return DEFAULT;
  const known = readScopes(asked);
  const granted = known.filter((scope) => scope !== 'mobile' || client.isFirstParty);
  if (granted.length === 0) return null;
  // `entitlements` implies `identity`.
  return granted.includes('entitlements') && !granted.includes('identity')
    ? ['identity', ...granted]
    : granted;
}

/** SQL, of a bearer `b`: the profile shows the entitlement only to a token with this scope. */
export const SHOWS_ENTITLEMENT = `'entitlements' = any (string_to_array(b.scope, ' '))`;
