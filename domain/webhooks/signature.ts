import { hmacSha256Hex } from '../shared/secrets.ts';

/** `t=<unix_seconds>,v1=<hex>` over the timestamp, a dot and the raw body bytes. */
export function signatureHeader(secret: string, body: Buffer, atUnixS: number): string {
  return `t=${atUnixS},v1=${hmacSha256Hex(secret, `${atUnixS}.`, body)}`;
}
