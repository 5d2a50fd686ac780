import type { CheckoutState, Processor } from '../../clients/processor/processor.ts';

type Asked = {
  sessionId: string;
  /** Which the session has to name: money for another checkout settles nothing. */
  checkoutId: string;
  /** Nobody is to pay it any more. */
  isUnwanted: boolean;
};

/** How a session of the processor stands; one that nobody is to pay any more is ended first. */
export async function readSession(
  processor: Pick<Processor, 'readCheckout' | 'expireCheckout'>,
  { sessionId, checkoutId, isUnwanted }: Asked,
): Promise<CheckoutState> {
  const state = await processor.readCheckout(sessionId, checkoutId);
  const isPayable = state.status === 'open' || state.status === 'declined';
  if (!isUnwanted || !isPayable) return state;
  await processor.expireCheckout(sessionId);
  return processor.readCheckout(sessionId, checkoutId);
}
