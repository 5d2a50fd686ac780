import { judgeLine } from '../shared/text.ts';

const LONGEST_NAME = 80;

export function judgeTeamName(given: string) {
  return judgeLine(given, LONGEST_NAME);
}
