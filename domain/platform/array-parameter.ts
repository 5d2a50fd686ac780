type Plain = string | number | boolean | null;

/**
 * A list as a parameter of an array type: elements that need no quotes, such as UUIDs, numbers,
 * IP addresses and our own identifiers. The driver looks for quotes in each, which costs a hot path
 * more than the rest; statements of a unit of work bind no lists at all.
 */
export function toArrayParameter(elements: readonly Plain[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

export function toByteaArrayParameter(elements: readonly (Buffer | null)[]): string {
  return toArrayParameter(elements.map((bytes) => bytes && `\\\\x${bytes.toString('hex')}`));
}
