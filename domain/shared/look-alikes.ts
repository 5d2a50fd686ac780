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
 * skeleton of UTS #39). It is not for people: that of `m` is `rn`.
 */
export function foldLookAlikes(text: string): string {
  const key = replaceInLowerCase(replaceInLowerCase(text));
  return [...key].map((letter) => SMALL_CAPITALS[letter] ?? letter).join('');
}

/** Replaces before and after the change of case: either may look like a letter of English. */
function replaceInLowerCase(text: string): string {
  return replaceLookAlikes(text).toLowerCase();
}
