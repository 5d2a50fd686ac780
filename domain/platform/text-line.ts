export type LineProblem = 'required' | 'too_long' | 'unreadable';

// Controls, lone surrogates, what has no glyph, and what turns the text around it.
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/u;

/** One line that people read, as a name: spaces are folded, what cannot be shown is refused. */
export function judgeLine(
  given: string,
  longest: number,
): { value: string; problem: LineProblem | null } {
  const value = given.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  if (value === '') return { value, problem: 'required' };
  if ([...value].length > longest) return { value: '', problem: 'too_long' };
  return { value, problem: UNREADABLE.test(value) ? 'unreadable' : null };
}
