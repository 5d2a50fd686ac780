import { continueAsNew } from '@temporalio/workflow';
import type { SubscriptionInput } from './contracts.ts';
import type { Mail } from './signals.ts';
import { processor, records } from './activities.ts';
import { followRenewals } from './renewals.ts';

/** Follows one subscription from payment to payment, until it has ended here and at the processor. */
export async function subscriptionLifecycle(
  input: SubscriptionInput,
  mail?: Mail,
): Promise<string> {
  return followRenewals(
    {
      settle: (summary) => processor.settleSubscription.executeWithOptions({ summary }, [input]),
      requestChange: (asked) => records.wishSubscription({ ...input, ...asked }),
      goOn: (carried) => continueAsNew<typeof subscriptionLifecycle>(input, carried),
    },
    mail,
  );
}
