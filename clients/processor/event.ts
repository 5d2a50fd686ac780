import { z } from 'zod';
import { loadStripe } from './stripe.ts';

const TOLERANCE_SECONDS = 300;

/** A signed body that is no event: another copy cannot help. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent';
}

const word = z.string().regex(/^[\x21-\x7e]{1,255}$/);

const metadata = z.record(z.string(), z.string()).nullish();

const subscriptionDetails = z.object({ subscription: z.unknown(), metadata });

const signedEvent = z.object({
  id: word,
  object: z.literal('event'),
  type: word,
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      object: z.unknown().optional(),
      id: z.unknown().optional(),
      metadata,
      payment_intent: z.unknown().optional(),
      // The parent of an invoice.
      parent: z
        .object({ subscription_details: subscriptionDetails.nullish() })
        .nullish()
        .catch(null),
    }),
  }),
});

/**
 * Returns null for a refused signature: wrong, missing, or dated too far from now either way.
 * Throws MalformedEvent for signed bytes that are no event.
 */
export function readSignedEvent(
  rawBody: Buffer,
  { signature, secret }: { signature: string | undefined; secret: string },
) {
  if (!signature || !isRecent(signature)) return null;
  const { errors, webhooks } = loadStripe();
  let body: unknown;
  try {
    body = webhooks.constructEvent(rawBody, signature, secret, TOLERANCE_SECONDS);
  } catch (error) {
    if (error instanceof errors.StripeSignatureVerificationError) return null;
    throw new MalformedEvent('not JSON', { cause: error });
  }
  if (isTooDeep(body)) throw new MalformedEvent('nested too deeply');
  const parsed = signedEvent.safeParse(body);
  if (!parsed.success) throw new MalformedEvent('not an event');
  const event = parsed.data;
  const about = event.data.object;
  const details = about.parent?.subscription_details;
  const named = (key: string) => about.metadata?.[key] ?? details?.metadata?.[key];
  const isSubscription = about.object === 'subscription';
  return {
    id: event.id,
    type: event.type,
    isLive: event.livemode,
    purchaseId: word.safeParse(named('purchase_id')).data ?? null,
    membershipId: word.safeParse(named('membership_id')).data ?? null,
    // The payment of the event, and the subscription of the event or of its invoice.
    paymentIntentId: word.safeParse(about.payment_intent).data ?? null,
    subscriptionId: word.safeParse(isSubscription ? about.id : details?.subscription).data ?? null,
    body,
  };
}

// Deeper than any object of the processor, and far from the depth at which serializing fails.
const MOST_LEVELS = 100;

/** Level by level, because a recursive check would be the first to fail. */
function isTooDeep(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
  return false;
}

/** Stripe's verifier refuses the past alone. Signatures use this machine's clock. */
function isRecent(signature: string): boolean {
  const stamps = signature.split(',').filter((part) => part.startsWith('t='));
  const seconds = /^t=(\d{1,12})$/.exec(stamps[0] ?? '')?.[1];
  if (stamps.length !== 1 || seconds === undefined) return false;
  return Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS;
}
