import unhomoglyph from 'unhomoglyph';

// The package is CommonJS, which its types do not say.
const replaceLookAlikes = unhomoglyph as unknown as (text: string) => string;

/** Unicode's table of look-alikes has no capital for these. */
const SMALL_CAPITALS: Record<string, string> = {
  '\u1d00': 'a',
  '\u1d07': 'e',
  '\u0262': 'g',
  '\u029c': 'h',
  '\u1d1b': 't',
};

/**
 * A key of the text in lower case: texts that people take for each other have the same one (the
 * skeleton of UTS #39). Letters of English stand for themselves alone: `horne` is not `home`.
 */
export function foldLookAlikes(text: string): string {
  return [...text].map(foldLetter).join('');
}

/** Replaces before and after the change of case: either may look like a letter of English. */
function foldLetter(letter: string): string {
  if (/[a-z]/i.test(letter)) return letter.toLowerCase();
  const key = replaceLookAlikes(replaceLookAlikes(letter).toLowerCase()).toLowerCase();
  return SMALL_CAPITALS[key] ?? key;
}
