import type { Processor } from '../../clients/processor/processor.ts';
import type { CheckoutState } from '../../clients/processor/checkout-state.ts';

type SessionRequest = {
  sessionId: string;
  /** The session has to name this checkout: money for another one settles nothing. */
  checkoutId: string;
  /** The session must not be paid. */
  isUnwanted: boolean;
};

/** Reads a session of the processor; a session that must not be paid is expired first. */
export async function readSession(
  processor: Pick<Processor, 'readCheckout' | 'expireCheckout'>,
  { sessionId, checkoutId, isUnwanted }: SessionRequest,
): Promise<CheckoutState> {
  const state = await processor.readCheckout(sessionId, checkoutId);
  const isPayable = state.status === 'open' || state.status === 'declined';
  if (!isUnwanted || !isPayable) return state;
  await processor.expireCheckout(sessionId);
  return processor.readCheckout(sessionId, checkoutId);
}
