/** A code or a phrase as a value in a table: `past_due` is `Past due`. */
export function sentenceCase(words: string): string {
  const spaced = words.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A whole number: `12,345`. */
export function writeCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** A number that is counted no further than `most`: `9,999+`. */
export function writeCapped(value: number, most: number): string {
  return writeCappedSum([value], most);
}

/** The sum of numbers that are each counted no further than `most`: `10,002+`. */
export function writeCappedSum(values: readonly number[], most: number): string {
  const known = values.reduce((sum, value) => sum + Math.min(value, most - 1), 0);
  return `${writeCount(known)}${values.some((value) => value >= most) ? '+' : ''}`;
}
