import { validateLine } from '../shared/text.ts';

const LONGEST_NAME = 80;

export function validateTeamName(given: string) {
  return validateLine(given, LONGEST_NAME);
}
