import { Stripe } from 'stripe';
import { z } from 'zod';
import type { ProcessorEvent } from './processor.ts';

const TOLERANCE_SECONDS = 300;

/** Signed as it should be, and still not an event: asking for it again cannot help. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent';
}

const word = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const signedEvent = z.object({
  id: word,
  object: z.literal('event'),
  type: word,
  livemode: z.boolean(),
  data: z.object({
    object: z.object({ metadata: z.record(z.string(), z.string()).nullish() }),
  }),
});

/**
 * Null when the signature is refused: wrong, missing, or dated too far from now either way. Throws
 * MalformedEvent for signed bytes that are no event.
 */
export function readSignedEvent(
  rawBody: Buffer,
  { signature, secret }: { signature: string | undefined; secret: string },
): ProcessorEvent | null {
  if (!signature || !isRecent(signature)) return null;
  let body: unknown;
  try {
    body = Stripe.webhooks.constructEvent(rawBody, signature, secret, TOLERANCE_SECONDS);
  } catch (fault) {
    if (fault instanceof Stripe.errors.StripeSignatureVerificationError) return null;
    throw new MalformedEvent('not JSON', { cause: fault });
  }
  const parsed = signedEvent.safeParse(body);
  if (!parsed.success) throw new MalformedEvent('not an event');
  const event = parsed.data;
  return {
    id: event.id,
    type: event.type,
    isLive: event.livemode,
    purchaseId: word.safeParse(event.data.object.metadata?.['purchase_id']).data ?? null,
    body,
  };
}

/** Stripe's verifier refuses the past only. Signatures carry the time of this machine's clock. */
function isRecent(signature: string): boolean {
  const stamps = signature.split(',').filter((part) => part.startsWith('t='));
  const seconds = /^t=(\d{1,12})$/.exec(stamps[0] ?? '')?.[1];
  if (stamps.length !== 1 || seconds === undefined) return false;
  return Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS;
}
