// The rule of names that strangers read: of people, teams, products and OAuth clients.
import { foldLookAlikes } from './look-alikes.ts';
import { normaliseText } from './normalise.ts';
import { validateLine, type LineProblem } from './text.ts';

export type NameProblem = LineProblem | 'reserved' | 'web_address';

const LONGEST_NAME = 80;

/** A scheme, `www.`, or a domain with a path; a bare domain may be a name, such as `Node.js`. */
const WEB_ADDRESS = /:\/\/|\bwww\.|[\p{L}\p{M}\p{N}]\.\p{L}{2,}\//iu;

const PLATFORM = foldLookAlikes('gatehouse');

/** Only the platform's own clients carry its name. */
export function validateName(
  given: string,
  { isPlatform = false }: { isPlatform?: boolean } = {},
): { value: string; problem: NameProblem | null } {
  const { value, problem } = validateLine(given, LONGEST_NAME);
  if (problem !== null) return { value, problem };
  const text = normaliseText(value, { form: 'NFKD', longest: LONGEST_NAME }) ?? '';
  if (WEB_ADDRESS.test(text)) return { value, problem: 'web_address' };
  return { value, problem: !isPlatform && looksLikePlatform(text) ? 'reserved' : null };
}

/**
 * Case, accents, spaces, signs and letters of other scripts make no other name. A sign may stand
 * between letters, as in `Gate|house`, or for one, as in `Gat\u212ehouse`.
 */
function looksLikePlatform(text: string): boolean {
  return [text, foldLookAlikes(text)].some((each) =>
    dropSigns(foldLookAlikes(dropSigns(each))).includes(PLATFORM),
  );
}

function dropSigns(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}
