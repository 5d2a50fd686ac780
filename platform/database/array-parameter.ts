type Plain = string | number | boolean | null;

/**
 * A list as a parameter of an array type, for elements without quotes, such as UUIDs, numbers, IP
 * addresses and our own identifiers. The driver searches each element for quotes, which costs a hot
 * statement more than the rest; statements of a unit of work bind no lists.
 */
export function toArrayParameter(elements: readonly Plain[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

const BYTEA_OID = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * A bytea[] in PostgreSQL's binary format (`array_recv`), which the driver sends as it is:
 * PostgreSQL parses it in a fraction of the time of hexadecimal text.
 */
export function toByteaArrayParameter(elements: readonly (Buffer | null)[]): Buffer {
  const bytes = elements.reduce((sum, element) => sum + (element?.length ?? 0), 0);
  const array = Buffer.allocUnsafe(HEADER_BYTES + elements.length * LENGTH_BYTES + bytes);
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(elements.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(BYTEA_OID, 8);
  array.writeInt32BE(elements.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let end = HEADER_BYTES;
  for (const element of elements) {
    end = array.writeInt32BE(element?.length ?? -1, end);
    if (element) end += element.copy(array, end);
  }
  return array;
}
