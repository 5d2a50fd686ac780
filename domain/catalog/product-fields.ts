import { toDashed } from '../shared/normalise.ts';
import { parseUuid } from '../shared/ids.ts';
import { isReserved } from '../shared/reserved-words.ts';
import { validateName, type NameProblem } from '../shared/names.ts';
import { validateLine, validateLines, type LineProblem } from '../shared/text.ts';

export type SlugProblem = 'required' | 'not_a_slug' | 'reserved';

const SLUG = /^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$/;
/** Slugs of removed drafts, whose own slugs are free again. */
const GONE = /^gone-/;
export const LONGEST_NAME = 80;
export const LONGEST_TAGLINE = 140;
export const LONGEST_REFUND_TERMS = 2_000;
/** Leaves room for a suffix. */
const LONGEST_PROPOSAL = 40;

/** The slug as the database stores it; a slug never looks like an id. */
export function validateSlug(given: string): { value: string; problem: SlugProblem | null } {
  const value = given.trim().toLowerCase();
  if (value === '') return { value, problem: 'required' };
  if (value.length > 100) return { value: '', problem: 'not_a_slug' };
  const isSlug = SLUG.test(value) && !GONE.test(value) && parseUuid(value) === null;
  if (!isSlug) return { value, problem: 'not_a_slug' };
  return { value, problem: isReserved(value) ? 'reserved' : null };
}

/** A slug made from a name: empty where no letter or digit of it is left. */
export function proposeSlug(name: string): string {
  return toDashed(name, { longest: LONGEST_PROPOSAL, longestRead: LONGEST_NAME });
}

type ValidatedLine = { value: string; problem: LineProblem | null };

export function validateProductName(given: string): { value: string; problem: NameProblem | null } {
  return validateName(given);
}

export function validateKeyName(given: string): ValidatedLine {
  return validateLine(given, LONGEST_NAME);
}

export function validateTagline(given: string): ValidatedLine {
  return validateLine(given, LONGEST_TAGLINE);
}

/** Returns null when nothing was typed; refused terms stay as they were typed. */
export function validateRefundTerms(typed: string): {
  value: string | null;
  problem: LineProblem | null;
} {
  const { value, problem } = validateLines(typed, LONGEST_REFUND_TERMS);
  if (problem === 'required') return { value: null, problem: null };
  return { value: problem === null ? value : typed, problem };
}
