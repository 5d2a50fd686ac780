// What a builder answers to request verification.
import { validateLine, validateLines, type LineProblem } from '../../shared/text.ts';

export type VerificationAnswers = {
  /** What the builder sells, in one line or more. */
  sells: string;
  /** The place where an operator can see it. */
  place: string;
  /** How an operator reaches the builder. */
  contact: string;
};

export const MAX_ANSWER_LENGTHS = { sells: 500, place: 300, contact: 200 } as const;

export type AnswerProblems = Record<keyof VerificationAnswers, LineProblem | null>;

export function validateAnswers(
  typed: VerificationAnswers,
): { answers: VerificationAnswers } | { problems: AnswerProblems } {
  const sells = validateLines(typed.sells, MAX_ANSWER_LENGTHS.sells);
  const place = validateLine(typed.place, MAX_ANSWER_LENGTHS.place);
  const contact = validateLine(typed.contact, MAX_ANSWER_LENGTHS.contact);
  const problems = { sells: sells.problem, place: place.problem, contact: contact.problem };
  if (Object.values(problems).some((problem) => problem !== null)) return { problems };
  return { answers: { sells: sells.value, place: place.value, contact: contact.value } };
}
