type Plain = string | number | boolean | Buffer | null;

/**
 * A list as a parameter of an array type, for elements without quotes, such as UUIDs, numbers, IP
 * addresses, hashes and our own identifiers. The driver searches each element for quotes: without
 * that the token exchange answers a fifth more requests. Statements of a unit of work bind no lists.
 */
export function toArrayParameter(elements: readonly Plain[]): string {
  return `{${elements.map(toElement).join(',')}}`;
}

function toElement(element: Plain): string | number | boolean {
  if (element === null) return 'NULL';
  return Buffer.isBuffer(element) ? `\\\\x${element.toString('hex')}` : element;
}
