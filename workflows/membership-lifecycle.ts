import { continueAsNew } from '@temporalio/workflow';
import type { MembershipInput } from './contracts.ts';
import type { Mail } from './signals.ts';
import { processor, records } from './activities.ts';
import { followRenewals } from './renewals.ts';

/** Follows one membership as a subscription is followed, and tells the products that it has opened. */
export async function membershipLifecycle(input: MembershipInput, mail?: Mail): Promise<string> {
  return followRenewals(
    {
      async settle(summary) {
        const found = await processor.settleMembership.executeWithOptions({ summary }, [input]);
        // Before the next reading: each change is told as the membership stands after it.
        while (await records.tellOpenedProducts(input));
        return found;
      },
      requestChange: (asked) => records.wishMembership({ ...input, ...asked }),
      goOn: (carried) => continueAsNew<typeof membershipLifecycle>(input, carried),
    },
    mail,
  );
}
