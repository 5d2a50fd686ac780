// Fields of our forms: as they may come, and what is said of those that cannot be taken.
import { z } from 'zod';
import type { PasswordProblem } from '../../domain/identity/new-password.ts';
import type { FieldProblem } from '../../domain/identity/person-fields.ts';

/** Given once; may be anything, as a password may. */
export const given = z.string({ error: 'must be given once' });
/** Text columns hold no NUL. */
export const text = given.refine((value) => !value.includes('\0'), 'must be text');

/** A query that carries a notice, or whatever else somebody put there. */
export const noticeQuery = z.object({ notice: z.unknown().optional() });

type Problem =
  | FieldProblem
  | PasswordProblem
  | 'taken'
  | 'wrong_password'
  | 'sign_in_again'
  | 'last_way_in'
  | 'same';

const SENTENCES: Record<Problem, string> = {
  required: 'Please fill this in.',
  too_long: 'This is too long.',
  not_an_address: 'This is not an e-mail address.',
  not_a_handle: 'Use 3 to 24 lower-case letters, digits and underscores.',
  unreadable: 'Some of these characters cannot be shown.',
  too_short: 'Use 12 characters or more.',
  common: 'This password is among the first that others would try. Please choose another.',
  own_words: 'This is too close to your own name or address. Please choose another.',
  taken: 'This handle is taken. Please choose another.',
  wrong_password: 'The password is not right.',
  sign_in_again:
    'You signed in more than ten minutes ago. Please sign out, sign in with your passkey, and try again.',
  last_way_in: 'This is your only way in. Choose a password first.',
  same: 'This is your address already.',
};

export function explain(problem: Problem | null | undefined): string | null {
  return problem ? SENTENCES[problem] : null;
}
