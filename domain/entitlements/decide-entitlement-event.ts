// The entitlement event of a change of the effective access.
import type { Announced } from './expiry.ts';

/**
 * The reason of a change. Granted: a purchase or first payment cleared, a grant was made, a product
 * activated, or money came back. Elapsed: time alone.
 */
export type ChangeReason =
  | 'granted'
  | 'cancelled'
  | 'resumed'
  | 'renewed'
  | 'elapsed'
  | 'withdrawn'
  | 'refunded';

export type EntitlementEventName =
  | 'entitlement.created'
  | 'entitlement.canceled'
  | 'entitlement.expired'
  | 'entitlement.refunded'
  | 'entitlement.resumed'
  | 'entitlement.renewed';

type Change = { reason: ChangeReason; before: Announced; after: Announced };

/** The event of a change, or null: events follow the announced access, not its sources. */
export function decideEntitlementEvent({
  reason,
  before,
  after,
}: Change): EntitlementEventName | null {
  if (!before.isActive) return after.isActive ? 'entitlement.created' : null;
  return after.isActive ? decideWhileActive({ reason, before, after }) : decideLoss(reason);
}

function decideLoss(reason: ChangeReason): EntitlementEventName {
  if (reason === 'refunded') return 'entitlement.refunded';
  return reason === 'withdrawn' || reason === 'cancelled'
    ? 'entitlement.canceled'
    : 'entitlement.expired';
}

function decideWhileActive({ reason, before, after }: Change): EntitlementEventName | null {
  if (reason === 'renewed') return 'entitlement.renewed';
  const hadEnd = before.endsAt !== null;
  if (reason === 'resumed') return hadEnd && after.endsAt === null ? 'entitlement.resumed' : null;
  if (reason !== 'cancelled' || after.endsAt === null) return null;
  // Its end has become the access's end, unless another source lasts longer.
  return before.endsAt?.getTime() === after.endsAt.getTime() ? null : 'entitlement.canceled';
}
