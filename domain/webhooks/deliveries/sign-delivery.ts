import { hmacSha256Hex } from '../../shared/secrets.ts';

type Message = {
  secrets: { current: string; previous: string | null };
  body: Buffer;
  atUnixS: number;
};

/** Signs a body with the secret of its endpoint, and with the previous one within a rotation window. */
export function signDelivery({ secrets, body, atUnixS }: Message): Signatures {
  const { current, previous } = secrets;
  return {
    current: signatureHeader(current, body, atUnixS),
    previous: previous === null ? null : signatureHeader(previous, body, atUnixS),
  };
}

const USER_AGENT = 'Gatehouse-Webhooks/1.0';

export type Signatures = { current: string; previous: string | null };

/**
 * The headers beside the body, one list for the sender and the console; the previous signature
 * exists within a rotation window alone.
 */
export function envelopeHeaders(
  eventName: string,
  { current, previous }: Signatures,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'service-event': eventName,
    'user-agent': USER_AGENT,
    'service-signature': current,
    ...(previous === null ? {} : { 'service-signature-previous': previous }),
  };
}

/** `t=<unix_seconds>,v1=<hex>` over the timestamp, a dot and the raw body bytes. */
export function signatureHeader(secret: string, body: Buffer, atUnixS: number): string {
  return `t=${atUnixS},v1=${hmacSha256Hex(secret, `${atUnixS}.`, body)}`;
}
