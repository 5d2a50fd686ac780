// What a form says beside a field that cannot be saved.
import type { PasswordProblem } from '../../domain/identity/new-password.ts';
import type { FieldProblem } from '../../domain/identity/person-fields.ts';
import type { MarkdownProblem } from '../../domain/shared/text.ts';

type Problem =
  | FieldProblem
  | MarkdownProblem
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
  too_many_marks: 'Use fewer links, lists, line breaks and other marks: at most 2,000 together.',
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
