import { Stripe } from 'stripe';

/** The processor said something that this code does not know: park it and tell a human. */
export class UnknownProcessorState extends Error {
  override name = 'UnknownProcessorState';
}

/** The processor refused or could not be reached. Repeats none of its text, which may quote input. */
export class ProcessorFault extends Error {
  override name = 'ProcessorFault';
  /** Trying the same call again cannot help. */
  readonly isPermanent: boolean;
  /**
   * Only a call with another idempotency key can help. The processor keeps a 5xx under the key for a day, and
   * the package has asked twice by now.
   */
  readonly needsNewKey: boolean;

  constructor(action: string, cause: InstanceType<typeof Stripe.errors.StripeError>) {
    const facts = [cause.statusCode ?? 'no answer', cause.code, cause.param, cause.requestId];
    super(`${action}: ${cause.type} (${facts.filter(Boolean).join(', ')})`);
    this.isPermanent = [400, 402, 404].includes(cause.statusCode ?? 0);
    this.needsNewKey = this.isPermanent || (cause.statusCode ?? 0) >= 500;
  }
}

/** It could not be asked, or gave no answer that helps: for those who wait to be told so. */
export function isProcessorTrouble(
  fault: unknown,
): fault is ProcessorFault | UnknownProcessorState {
  return fault instanceof ProcessorFault || fault instanceof UnknownProcessorState;
}

export async function callProcessor<Answer>(
  action: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (fault) {
    if (fault instanceof Stripe.errors.StripeError) throw new ProcessorFault(action, fault);
    throw fault;
  }
}

/** The package takes any JSON without an `error` key for a success, a proxy's 404 included. */
export function expectObject(answer: { object?: string }, kind: string): void {
  if (answer.object !== kind) throw new UnknownProcessorState(`the answer is not a ${kind}`);
}

/** In the metadata of what we make there, so that its events name it. */
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

/** What the processor names by its id, or shows in full. */
export function idOf(named: string | { id: string } | null | undefined): string | null {
  return typeof named === 'string' ? named : (named?.id ?? null);
}
