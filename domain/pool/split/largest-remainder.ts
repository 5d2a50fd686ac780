/** SHA-256 of a text, as hex digits. */
export type Sha256Hex = (text: string) => string;

type Part = { quotient: number; rest: number };

/**
 * Splits a total of units by weights: each part gets its floor, and what is left goes to the largest
 * remainders, one unit each. Equal remainders are ordered by rank, the smaller text first.
 */
export function splitByLargestRemainder(
  total: number,
  { weights, rankOf }: { weights: readonly number[]; rankOf: (index: number) => string },
): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum === 0) throw new RangeError('no weight to split by');
  const parts = weights.map((weight) => divide(total, { weight, sum }));
  const amounts = parts.map(({ quotient }) => quotient);
  const left = total - amounts.reduce((all, amount) => all + amount, 0);
  for (const index of chooseLargest(parts, { count: left, rankOf })) amounts[index]! += 1;
  return amounts;
}

/** total x weight div and mod sum, exactly. */
function divide(total: number, { weight, sum }: { weight: number; sum: number }): Part {
  const product = total * weight;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const rest = product % sum;
    return { quotient: (product - rest) / sum, rest };
  }
  const exact = BigInt(total) * BigInt(weight);
  return { quotient: Number(exact / BigInt(sum)), rest: Number(exact % BigInt(sum)) };
}

/** Ranks are asked for only where they decide: most splits need no hash. */
function chooseLargest(
  parts: readonly Part[],
  { count, rankOf }: { count: number; rankOf: (index: number) => string },
): number[] {
  if (count === 0) return [];
  const order = parts.map((_, index) => index);
  order.sort((one, other) => parts[other]!.rest - parts[one]!.rest);
  const last = parts[order[count - 1]!]!.rest;
  if (parts[order[count] ?? -1]?.rest !== last) return order.slice(0, count);
  const sure = order.filter((index) => parts[index]!.rest > last);
  const ranked = order
    .filter((index) => parts[index]!.rest === last)
    .map((index) => ({ index, rank: rankOf(index) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return [...sure, ...ranked.slice(0, count - sure.length).map(({ index }) => index)];
}
