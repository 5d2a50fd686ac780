import { setHandler } from '@temporalio/workflow';
import { retryNowUpdate } from '../contracts.ts';

const DELIVERY_ID = /^evt_[0-9A-Z]{26}$/;

type Retries = {
  status: string;
  isAttempting: boolean;
};

type RetryNow = (deliveryId: string | null) => Promise<number>;

/**
 * An operator may ask for the next retry now. An Update that cannot be done is refused before it is
 * in the history: during an attempt, and when nothing is to be retried. While the row is read it is
 * accepted, and the row decides. A message wakes the workflow once the row has moved.
 */
export function acceptRetryNow(read: () => Retries, retryNow: RetryNow): void {
  const validator = (deliveryId: string | null) => {
    const { status, isAttempting } = read();
    if (isAttempting) throw new Error('an attempt is under way');
    if (status !== 'retrying') throw new Error(`there is nothing to retry: ${status}`);
    if (deliveryId && !DELIVERY_ID.test(deliveryId)) throw new Error('that is no delivery id');
  };
  // Without an input, as Temporal's page sends it, there is no argument.
  const handler = async (deliveryId: string | null = null) =>
    (await retryNow(deliveryId)) > 0 ? ('queued' as const) : ('unchanged' as const);
  setHandler(retryNowUpdate, handler, { validator });
}
