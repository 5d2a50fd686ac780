import { dictionary } from '@zxcvbn-ts/language-common';
import { normaliseText } from '../shared/normalise.ts';

export type PasswordProblem = 'too_short' | 'too_long' | 'common' | 'own_words';

const SHORTEST = 12;
export const LONGEST_PASSWORD = 256;
const LONGEST_REPEATED = 6;

const COMMON = new Set<string>(dictionary['passwords-common']);

/** The problem of a new password; `about` are the words that a guesser would try first. */
export function validatePassword(password: string, about: string[]): PasswordProblem | null {
  const text = normaliseText(password, { form: 'NFKC', longest: LONGEST_PASSWORD });
  if (text === null || text.length > LONGEST_PASSWORD) return 'too_long';
  if ([...text].length < SHORTEST) return 'too_short';
  const plain = text.toLowerCase();
  if (isCommon(plain) || isRepetition(plain) || isRun(plain)) return 'common';
  return about.some((word) => isMostly(plain, word.toLowerCase())) ? 'own_words' : null;
}

/** The password is on the list as it is, or without the digits and marks around it. */
function isCommon(plain: string): boolean {
  if (COMMON.has(plain)) return true;
  const core = plain.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core === '' || COMMON.has(core);
}

function isRepetition(plain: string): boolean {
  for (let length = 1; length <= LONGEST_REPEATED; length += 1) {
    const piece = plain.slice(0, length);
    if (piece.repeat(Math.ceil(plain.length / length)).slice(0, plain.length) === plain)
      return true;
  }
  return false;
}

/** abcdefgh..., 98765...: each character follows the one before. */
function isRun(plain: string): boolean {
  const codes = [...plain].map((character) => character.codePointAt(0)!);
  const steps = new Set(codes.slice(1).map((code, index) => code - codes[index]!));
  return steps.size === 1 && Math.abs([...steps][0]!) <= 1;
}

function isMostly(plain: string, word: string): boolean {
  return word.length >= 4 && plain.includes(word) && plain.length - word.length < 6;
}
