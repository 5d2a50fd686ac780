import { continueAsNew } from '@temporalio/workflow';
import type { SubscriptionInput } from '../contracts.ts';
import type { PendingSignals } from '../signals.ts';
import { processor, records } from '../activities.ts';
import { runSubscription } from './run-subscription.ts';

/** Follows one subscription from payment to payment, until it has ended here and at the processor. */
export async function subscriptionLifecycle(
  input: SubscriptionInput,
  pending?: PendingSignals,
): Promise<string> {
  return runSubscription(
    {
      settle: (summary) => processor.settleSubscription.executeWithOptions({ summary }, [input]),
      requestChange: (request) => records.requestSubscriptionChange({ ...input, ...request }),
      restart: (signals) => continueAsNew<typeof subscriptionLifecycle>(input, signals),
    },
    pending,
  );
}
