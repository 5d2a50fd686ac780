import { setHandler } from '@temporalio/workflow';
import { statusQuery, type EntitlementInput } from '../contracts.ts';
import { updateVisibility } from '../visibility.ts';
import { continueWhenLong, receiveSignals, type PendingSignals } from '../signals.ts';
import { records } from '../activities.ts';

/**
 * Waits for each start and end of access ahead. `settleEntitlement` announces it, an end by
 * `domain/entitlements/expiry.ts`.
 */
export async function entitlementLifecycle(input: EntitlementInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  for (;;) {
    signals.drain();
    const { isActive, remainingMs } = await records.settleEntitlement(input);
    status = isActive ? 'active' : 'inactive';
    const boundary = new Date(Date.now() + (remainingMs ?? 0)).toISOString();
    const details = remainingMs === null ? status : `${status} until ${boundary}`;
    updateVisibility({ ...input, status, dueAt: remainingMs === null ? null : boundary, details });
    if (remainingMs === null && !signals.hasPending()) return status;
    await continueWhenLong(input, signals);
    await signals.wait(remainingMs ?? 0, details);
  }
}
