import { continueAsNew } from '@temporalio/workflow';
import type { MembershipInput } from '../contracts.ts';
import type { PendingSignals } from '../signals.ts';
import { processor, records } from '../activities.ts';
import { runSubscription } from '../billing/run-subscription.ts';

/** Follows one membership as a subscription is followed, and notifies the activated products. */
export async function membershipLifecycle(
  input: MembershipInput,
  pending?: PendingSignals,
): Promise<string> {
  return runSubscription(
    {
      async settle(summary) {
        const found = await processor.settleMembership.executeWithOptions({ summary }, [input]);
        // Before the next reading: each notification says the membership's state after its change.
        let isAnyLeft: boolean;
        do isAnyLeft = await records.notifyActivatedProducts(input);
        while (isAnyLeft);
        return found;
      },
      requestChange: (request) => records.requestMembershipChange({ ...input, ...request }),
      restart: (signals) => continueAsNew<typeof membershipLifecycle>(input, signals),
    },
    pending,
  );
}
