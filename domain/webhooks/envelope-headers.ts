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
