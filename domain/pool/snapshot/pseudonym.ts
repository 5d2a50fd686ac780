/** HMAC-SHA-256 under the key of one period, as hex digits. */
type HmacHex = (text: string) => string;

/**
 * The id of a Member or a product in the snapshot of one period. Without the period's key nobody can
 * tell whose it is, nor find the same Member in another month.
 */
export function pseudonymOf(
  hmac: HmacHex,
  { kind, id }: { kind: 'member' | 'product'; id: string },
): string {
  return hmac(`${kind}|${id}`);
}
