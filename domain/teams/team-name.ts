import { validateName } from '../shared/names.ts';

export function validateTeamName(given: string) {
  return validateName(given);
}
