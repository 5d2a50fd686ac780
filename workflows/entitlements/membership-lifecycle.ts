import { continueAsNew } from '@temporalio/workflow';
import type { MembershipInput } from '../contracts.ts';
import type { PendingSignals } from '../signals.ts';
import { processor, records } from '../activities.ts';
import { followSubscription } from '../billing/subscriptions.ts';

/** Follows one membership as a subscription is followed, and notifies the activated products. */
export async function membershipLifecycle(
  input: MembershipInput,
  pending?: PendingSignals,
): Promise<string> {
  return followSubscription(
    {
      async settle(summary) {
        const found = await processor.settleMembership.executeWithOptions({ summary }, [input]);
        // Before the next reading: each notification says how the membership stands after its change.
        while (await records.notifyActivatedProducts(input));
        return found;
      },
      requestChange: (request) => records.requestMembershipChange({ ...input, ...request }),
      restart: (signals) => continueAsNew<typeof membershipLifecycle>(input, signals),
    },
    pending,
  );
}
