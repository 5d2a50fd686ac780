// Numbers for people.

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

/** Adds up one number of each row. */
export function addUp<Row>(rows: readonly Row[], read: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + read(row), 0);
}

/** A part of a whole, rounded; only all of it is `100.0 %`. Of nothing, `0 %`. */
export function writePercent(part: number, whole: number, digits = 1): string {
  if (whole <= 0) return '0 %';
  const all = 100 * 10 ** digits;
  const rounded = Math.round((all * part) / whole);
  const shown = part < whole ? Math.min(rounded, all - 1) : rounded;
  return `${((100 * shown) / all).toFixed(digits)} %`;
}

/** A change or a share in percent: `12.5 %`, and whole from a thousand on, `1,643 %`. */
export function writePercentage(percent: number): string {
  return `${writeCount(Math.abs(percent) < 1_000 ? percent : Math.round(percent))} %`;
}

/** A share that is set in basis points: `12.5 %`. */
export function writeBasisPoints(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}

/** A count with its noun: `1 payment`, `12,345 payments`. */
export function writePlural(count: number, one: string, many = `${one}s`): string {
  return `${writeCount(count)} ${count === 1 ? one : many}`;
}
