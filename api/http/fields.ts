// Schemas of form fields, and their validation messages.
import { z } from 'zod';
import type { PasswordProblem } from '../../domain/identity/new-password.ts';
import type { FieldProblem } from '../../domain/identity/person-fields.ts';
import { cut, FAR_TOO_LONG } from '../../domain/shared/normalise.ts';

const TOO_LONG = { error: 'is too long', abort: true };

/**
 * A required text. Longer input is cut, so no later step handles megabytes; the cut value stays
 * invalid.
 */
export function given(longest: number) {
  return z
    .string({ error: 'must be given once' })
    .overwrite((value) => cut(value, longest))
    .max(FAR_TOO_LONG * longest + 1)
    .meta({ override: ({ jsonSchema }) => void delete jsonSchema.maxLength }); // it is cut, not refused
}

/** Text columns hold no NUL. */
export function text(longest: number) {
  return given(longest).refine(isText, NOT_TEXT);
}

/** Refuses long text instead of cutting it: a cut amount would be another amount. */
export function whole(longest: number) {
  return z
    .string({ error: 'must be given once' })
    .max(FAR_TOO_LONG * longest, TOO_LONG)
    .refine(isText, NOT_TEXT);
}

const NOT_TEXT = 'must be text';

function isText(value: string): boolean {
  return !value.includes('\0');
}

/** What is matched is short. */
export function matching(pattern: RegExp, longest: number) {
  return z.string().max(longest, TOO_LONG).regex(pattern);
}

export function uuid(error?: string) {
  const said = error === undefined ? {} : { error };
  return z
    .string(said)
    .max(36, { abort: true, ...said })
    .check(z.guid(said));
}

/** An optional code in the query string. Any other value counts as absent. */
export const mark = z.string().max(64, TOO_LONG).optional().catch(undefined);

type Problem =
  | FieldProblem
  | PasswordProblem
  | 'taken'
  | 'wrong_password'
  | 'sign_in_again'
  | 'last_way_in'
  | 'same';

export const NAME_RESERVED = 'This name is reserved. Choose another.';
export const NO_WEB_ADDRESS = 'Leave out web addresses: https://, www. and names with a path.';

const SENTENCES: Record<Problem, string> = {
  required: 'Fill this in.',
  too_long: 'This is too long.',
  not_an_address: 'Enter a valid email address.',
  not_a_handle: 'Use 3 to 24 lowercase letters, digits and underscores.',
  reserved: NAME_RESERVED,
  web_address: NO_WEB_ADDRESS,
  unreadable: "Leave out characters that can't be shown.",
  too_short: 'Use at least 12 characters.',
  common: 'This password is too common. Choose another.',
  own_words: 'This password is too similar to your name or email address. Choose another.',
  taken: 'This handle is taken. Choose another.',
  wrong_password: 'The password is wrong.',
  sign_in_again:
    'You signed in more than ten minutes ago. Sign out, sign in with your passkey, and try again.',
  last_way_in: 'This is your only way to sign in. Choose a password first.',
  same: 'This is already your email address.',
};

export function explain(problem: Problem | null | undefined): string | null {
  return problem ? SENTENCES[problem] : null;
}
