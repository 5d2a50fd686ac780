/** A code or a phrase as a value in a table: `past_due` is `Past due`. */
export function sentenceCase(words: string): string {
  const spaced = words.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
