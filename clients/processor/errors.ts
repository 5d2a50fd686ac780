import type { Stripe } from 'stripe';
import { loadStripe } from './stripe.ts';

/** The processor said something that this code does not know: the event is dead-lettered and an operator is alerted. */
export class UnknownProcessorState extends Error {
  override name = 'UnknownProcessorState';
}

/**
 * A 403 about one account: it revoked our access, or does not exist. Any other 403 is about our key,
 * which may get its rights back.
 */
const ACCOUNT_GONE = 'account_invalid';

/**
 * The processor refused or could not be reached. The message repeats none of its text, which may
 * quote input.
 */
export class ProcessorFault extends Error {
  override name = 'ProcessorFault';
  /** True when the same call would fail again. */
  readonly isPermanent: boolean;
  /**
   * Only a call with another idempotency key can help: the processor keeps a 5xx under the key for
   * a day, and the package has tried twice by now.
   */
  readonly needsNewKey: boolean;

  constructor(action: string, cause: Stripe.errors.StripeError) {
    const facts = [cause.statusCode ?? 'no answer', cause.code, cause.param, cause.requestId];
    super(`${action}: ${cause.type} (${facts.filter(Boolean).join(', ')})`);
    this.isPermanent =
      [400, 402, 404].includes(cause.statusCode ?? 0) || cause.code === ACCOUNT_GONE;
    this.needsNewKey = this.isPermanent || (cause.statusCode ?? 0) >= 500;
  }
}

/**
 * The processor could not be asked, or gave no useful response; the waiting caller gets a notice.
 */
export function isProcessorTrouble(
  error: unknown,
): error is ProcessorFault | UnknownProcessorState {
  return error instanceof ProcessorFault || error instanceof UnknownProcessorState;
}

export async function callProcessor<Result>(action: string, call: () => Promise<Result>) {
  try {
    return await call();
  } catch (error) {
    if (error instanceof loadStripe().errors.StripeError) throw new ProcessorFault(action, error);
    throw error;
  }
}

/** The package takes any JSON without an `error` key for a success, also a proxy's 404. */
export function expectObject(answer: { object?: string }, kind: string): void {
  if (answer.object !== kind) throw new UnknownProcessorState(`the answer is not a ${kind}`);
}

/** The metadata of our objects, so that their events name the purchase. */
export function nameWhatIsPaid(paid: {
  purchaseId?: string | undefined;
  membershipId?: string | undefined;
}) {
  const { purchaseId, membershipId } = paid;
  return {
    ...(purchaseId === undefined ? {} : { purchase_id: purchaseId }),
    ...(membershipId === undefined ? {} : { membership_id: membershipId }),
  };
}

/** The id of an object that the processor names or shows in full. */
export function idOf(named: string | { id: string } | null | undefined): string | null {
  return typeof named === 'string' ? named : (named?.id ?? null);
}
