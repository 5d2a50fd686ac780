import {
  validateLine,
  validateMarkdown,
  type LineProblem,
  type MarkdownProblem,
} from '../../shared/text.ts';

export const LONGEST_VERSION = 40;
export const LONGEST_NOTES = 4_000;
/** How many releases the page of a product shows. */
export const SHOWN_RELEASES = 5;

export function validateVersion(typed: string): { value: string; problem: LineProblem | null } {
  return validateLine(typed, LONGEST_VERSION);
}

/** Returns null when nothing was typed; refused notes stay as they were typed. */
export function validateNotes(typed: string): {
  value: string | null;
  problem: MarkdownProblem | null;
} {
  return validateMarkdown(typed, LONGEST_NOTES);
}

/** A day as browsers send it, at its start in UTC; null when nothing was typed. */
export function validateDay(typed: string): {
  value: Date | null;
  problem: 'not_a_day' | null;
} {
  const text = typed.trim();
  if (text === '') return { value: null, problem: null };
  const day = /^(?:19[7-9]\d|20\d{2})-\d{2}-\d{2}$/.test(text)
    ? new Date(`${text}T00:00:00Z`)
    : null;
  // JavaScript accepts 31 February: a day is valid if it reads back as typed.
  const isReal = day !== null && !Number.isNaN(day.getTime());
  return isReal && day.toISOString().startsWith(text)
    ? { value: day, problem: null }
    : { value: null, problem: 'not_a_day' };
}
