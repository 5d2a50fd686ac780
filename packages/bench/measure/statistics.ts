// The arithmetic of the figures.

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new Error('a median needs a value');
  return (lower + upper) / 2;
}

/** Nearest rank. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, two) => one - two);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new Error('a percentile needs a value');
  return value;
}
